//! `#[derive(Persist)]` of `merrow_persist`: a type is saved and loaded by its fields in the
//! order of their declaration, an enum by a tag, the place of the variant, and its fields. The layout
//! has the names and types of all fields, so that a program refuses the checkpoint of another one.
//! `#[derive(CloneFields)]` clones without memory allocation into a value that exists.
//!
//! # Example
//! ```text
//! #[derive(Persist)]
//! struct Battery { charge: f64, is_on: bool }
//! ```

#![forbid(unsafe_code)]

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Ident, Type, parse_macro_input, parse_quote};

/// Implements `merrow_persist::Persist`.
#[proc_macro_derive(Persist)]
pub fn persist(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    if input.generics.type_params().next().is_some() {
        let types = types(&input.data);
        let bounds = input.generics.make_where_clause();
        for field in types {
            bounds
                .predicates
                .push(parse_quote!(#field: ::merrow_persist::Persist));
        }
    }
    let name = &input.ident;
    let (save, load, layout) = match &input.data {
        Data::Struct(data) => {
            let names = names(&data.fields);
            let pattern = pattern(&data.fields, &names);
            let (save, load, layout) = parts(&data.fields, &names);
            (
                quote!(let Self #pattern = self; #save),
                quote!(#load Ok(Self #pattern)),
                layout,
            )
        }
        Data::Enum(data) => {
            let (mut saves, mut loads, mut layouts) = (quote!(), quote!(), quote!());
            for (tag, variant) in data.variants.iter().enumerate() {
                let (ident, names) = (&variant.ident, names(&variant.fields));
                let pattern = pattern(&variant.fields, &names);
                let (save, load, layout) = parts(&variant.fields, &names);
                let tag = u8::try_from(tag).unwrap_or(u8::MAX);
                saves.extend(quote! {
                    Self::#ident #pattern => { ::merrow_persist::Persist::save(&#tag, to); #save }
                });
                loads.extend(quote!(#tag => { #load Ok(Self::#ident #pattern) }));
                layouts.extend(quote!(to.name(stringify!(#ident)); #layout));
            }
            (
                quote!(match self { #saves }),
                quote! {
                    match <u8 as ::merrow_persist::Persist>::load(from)? {
                        #loads
                        tag => Err(format!("found the tag {tag} of {}", stringify!(#name))),
                    }
                },
                layouts,
            )
        }
        Data::Union(_) => panic!("a union has no layout"),
    };
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::merrow_persist::Persist for #name #arguments #bounds {
            fn save(&self, to: &mut ::merrow_persist::Writer) { #save }
            fn load(from: &mut ::merrow_persist::Reader<'_>) -> Result<Self, String> { #load }
            fn layout(to: &mut ::merrow_persist::Layout) {
                if to.begin(stringify!(#name), std::any::type_name::<Self>()) {
                    #layout
                    to.end();
                }
            }
        }
    }
    .into()
}

/// Implements `Clone` for a struct by its fields. `clone_from` calls `clone_from` of each field, so
/// that lists keep their memory.
#[proc_macro_derive(CloneFields)]
pub fn clone_fields(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    let Data::Struct(data) = &input.data else {
        panic!("only a struct is cloned by its fields")
    };
    let members: Vec<_> = data.fields.members().collect();
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(Clone));
    }
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics Clone for #name #arguments #bounds {
            fn clone(&self) -> Self {
                Self { #(#members: Clone::clone(&self.#members)),* }
            }
            fn clone_from(&mut self, source: &Self) {
                #(Clone::clone_from(&mut self.#members, &source.#members);)*
            }
        }
    }
    .into()
}

/// Returns the types of all fields.
fn types(data: &Data) -> Vec<Type> {
    let fields: Vec<&Fields> = match data {
        Data::Struct(data) => vec![&data.fields],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    fields
        .into_iter()
        .flatten()
        .map(|field| field.ty.clone())
        .collect()
}

/// Returns a variable for each field.
fn names(fields: &Fields) -> Vec<Ident> {
    (0..fields.len())
        .map(|i| format_ident!("field_{i}"))
        .collect()
}

fn pattern(fields: &Fields, names: &[Ident]) -> TokenStream {
    let members = fields.members();
    match fields {
        Fields::Named(_) => quote!({ #(#members: #names),* }),
        Fields::Unnamed(_) => quote!(( #(#names),* )),
        Fields::Unit => quote!(),
    }
}

/// Returns the statements that save, load and describe the fields.
fn parts(fields: &Fields, names: &[Ident]) -> (TokenStream, TokenStream, TokenStream) {
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let members = fields.members();
    (
        quote!(#(::merrow_persist::Persist::save(#names, to);)*),
        quote!(#(let #names = <#types as ::merrow_persist::Persist>::load(from)?;)*),
        quote!(#(
            to.name(stringify!(#members));
            <#types as ::merrow_persist::Persist>::layout(to);
        )*),
    )
}
