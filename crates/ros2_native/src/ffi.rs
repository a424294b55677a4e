//! Declarations of `shim/rmw.c` and safe types on them. The only unsafe code of the crate.

use parking_lot::Mutex;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use merrow_ros2::args::{DiscoveryRange, NodeOptions};
use merrow_ros2::names::NameResolver;
use merrow_ros2::qos::{Durability, Qos, Reliability};

/// Buffer of the text of an error, as `merrow_error`.
#[repr(C)]
#[derive(Clone, Copy)]
struct ErrorBuffer {
    text: *mut c_char,
    size: usize,
}

/// Quality of service, as `merrow_qos`.
#[repr(C)]
struct RawQos {
    lifespan_ns: u64,
    depth: u32,
    is_reliable: bool,
    is_transient_local: bool,
}

/// Node and network, as `merrow_node_options`.
#[repr(C)]
struct RawNodeOptions {
    name: *const c_char,
    namespace: *const c_char,
    peers: *const *const c_char,
    peer_count: usize,
    domain: usize,
    discovery: u32,
}

/// Functions and type support of a request or response, as `merrow_message`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawMessage {
    create: Function,
    destroy: Function,
    support: Support,
}

/// Identity of a request, as `merrow_request_id`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RequestId {
    writer: [u8; 24],
    sequence_number: i64,
}

/// Address of a C function.
type Function = NonNull<c_void>;
/// Type support of a message or service; constant data of a library that stays open.
type Support = NonNull<c_void>;
type Notify = extern "C" fn(*const c_void, usize);

unsafe extern "C" {
    fn merrow_library_open(path: *const c_char, error: ErrorBuffer) -> *mut c_void;
    fn merrow_library_symbol(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn merrow_bind(libraries: *const Library, count: usize, error: ErrorBuffer) -> bool;
    fn merrow_implementation() -> *const c_char;
    fn merrow_message_hash(support: Support, out: *mut c_char, size: usize) -> bool;
    fn merrow_service_hash(support: Support, out: *mut c_char, size: usize) -> bool;
    fn merrow_context_create(given: *const RawNodeOptions, error: ErrorBuffer) -> *mut c_void;
    fn merrow_context_destroy(context: NonNull<c_void>);
    fn merrow_publisher_create(
        context: NonNull<c_void>,
        support: Support,
        topic: *const c_char,
        qos: *const RawQos,
        on_incompatible: Notify,
        user: *const c_void,
        error: ErrorBuffer,
    ) -> *mut c_void;
    fn merrow_publisher_notify(
        publisher: NonNull<c_void>,
        notify: Notify,
        user: *const c_void,
    ) -> bool;
    fn merrow_publisher_take_incompatible(publisher: NonNull<c_void>) -> u32;
    fn merrow_publisher_matched(publisher: NonNull<c_void>) -> usize;
    fn merrow_publisher_publish(
        publisher: NonNull<c_void>,
        data: *const u8,
        size: usize,
        error: ErrorBuffer,
    ) -> bool;
    fn merrow_publisher_destroy(publisher: NonNull<c_void>);
    fn merrow_subscription_create(
        context: NonNull<c_void>,
        support: Support,
        topic: *const c_char,
        qos: *const RawQos,
        on_incompatible: Notify,
        user: *const c_void,
        error: ErrorBuffer,
    ) -> *mut c_void;
    fn merrow_subscription_notify(
        subscription: NonNull<c_void>,
        notify: Notify,
        user: *const c_void,
    ) -> bool;
    fn merrow_subscription_take_incompatible(subscription: NonNull<c_void>) -> u32;
    fn merrow_subscription_take(subscription: NonNull<c_void>, size: *mut usize) -> *const u8;
    fn merrow_subscription_destroy(subscription: NonNull<c_void>);
    fn merrow_service_create(
        context: NonNull<c_void>,
        support: Support,
        request: RawMessage,
        response: RawMessage,
        name: *const c_char,
        qos: *const RawQos,
        error: ErrorBuffer,
    ) -> *mut c_void;
    fn merrow_service_notify(service: NonNull<c_void>, notify: Notify, user: *const c_void)
    -> bool;
    fn merrow_service_take(
        service: NonNull<c_void>,
        size: *mut usize,
        id: *mut RequestId,
    ) -> *const u8;
    fn merrow_service_respond(
        service: NonNull<c_void>,
        id: *const RequestId,
        data: *const u8,
        size: usize,
        error: ErrorBuffer,
    ) -> bool;
    fn merrow_service_destroy(service: NonNull<c_void>);
    fn merrow_client_create(
        context: NonNull<c_void>,
        support: Support,
        request: RawMessage,
        response: RawMessage,
        name: *const c_char,
        qos: *const RawQos,
        error: ErrorBuffer,
    ) -> *mut c_void;
    fn merrow_client_notify(client: NonNull<c_void>, notify: Notify, user: *const c_void) -> bool;
    fn merrow_client_has_server(client: NonNull<c_void>) -> bool;
    fn merrow_client_call(
        client: NonNull<c_void>,
        data: *const u8,
        size: usize,
        number: *mut i64,
        error: ErrorBuffer,
    ) -> bool;
    fn merrow_client_take(client: NonNull<c_void>, size: *mut usize, number: *mut i64)
    -> *const u8;
    fn merrow_client_destroy(client: NonNull<c_void>);
}

/// Calls `operation` with a buffer for an error. Returns its result and the text in the buffer.
fn with_error<T>(operation: impl FnOnce(ErrorBuffer) -> T) -> (T, String) {
    let mut bytes = [0_u8; 1500];
    let result = operation(ErrorBuffer {
        text: bytes.as_mut_ptr().cast(),
        size: bytes.len(),
    });
    let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    (result, text.to_string_lossy().trim().to_owned())
}

/// Returns the pointer of `operation`, or the text of its error.
fn created(operation: impl FnOnce(ErrorBuffer) -> *mut c_void) -> Result<NonNull<c_void>, String> {
    let (pointer, error) = with_error(operation);
    NonNull::new(pointer).ok_or(error)
}

/// Converts a text that contains no zero, such as a resolved name.
fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{text:?} contains a zero character"))
}

impl From<&Qos> for RawQos {
    fn from(qos: &Qos) -> Self {
        let lifespan = qos.lifespan.map_or(0, |lifespan| lifespan.as_nanos());
        Self {
            lifespan_ns: u64::try_from(lifespan).unwrap_or(u64::MAX),
            depth: qos.depth(),
            is_reliable: qos.reliability == Reliability::Reliable,
            is_transient_local: qos.durability == Durability::TransientLocal,
        }
    }
}

/// Calls the closure that the user pointer of a notification points to.
extern "C" fn notify(user: *const c_void, _count: usize) {
    // SAFETY: every registration passes a pointer to a `Callback` in a box of the endpoint, which
    // is freed after the endpoint has been destroyed, and with it the registration.
    let callback = unsafe { &*user.cast::<Callback>() };
    callback();
}

/// Closure that threads of the RMW call. It must not wait.
pub(crate) type Callback = Box<dyn Fn() + Send + Sync>;

/// A library that stays open until the process ends.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Library(NonNull<c_void>);

// SAFETY: dlsym can be called on any thread, and the handle is never closed.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Opens a library by path, or by name on the search path of the system.
    ///
    /// # Errors
    /// Text of the loader.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let path = c_string(&path.to_string_lossy())?;
        // SAFETY: the path is a C string. Initialisers of the library run; it belongs to the ROS 2
        // installation that the user sourced.
        created(|error| unsafe { merrow_library_open(path.as_ptr(), error) }).map(Self)
    }

    fn symbol(self, name: &str) -> Option<Function> {
        let name = c_string(name).ok()?;
        // SAFETY: the handle is open, the name is a C string.
        NonNull::new(unsafe { merrow_library_symbol(self.0.as_ptr(), name.as_ptr()) })
    }

    /// Calls the function `symbol` of rosidl, which returns a type support.
    fn support(self, symbol: &str) -> Option<Support> {
        let function = self.symbol(symbol)?;
        // SAFETY: rosidl generates these functions without arguments and with a constant pointer as
        // result; the callers pass symbols of such functions only.
        let function: extern "C" fn() -> *mut c_void = unsafe { std::mem::transmute(function) };
        NonNull::new(function())
    }
}

/// Type support of a message.
#[derive(Clone, Copy)]
pub(crate) struct MessageSupport(Support);

impl MessageSupport {
    /// Returns the type support that the function `symbol` of a library returns.
    pub(crate) fn find(library: Library, symbol: &str) -> Option<Self> {
        library.support(symbol).map(Self)
    }

    /// Returns the type hash; `None` on distributions without hashes.
    pub(crate) fn hash(self) -> Option<String> {
        // SAFETY: the type support belongs to a message, the buffer has the given size.
        read_hash(|out, size| unsafe { merrow_message_hash(self.0, out, size) })
    }
}

/// Reads a type hash of 71 characters.
fn read_hash(read: impl FnOnce(*mut c_char, usize) -> bool) -> Option<String> {
    let mut bytes = [0_u8; 80];
    let found = read(bytes.as_mut_ptr().cast(), bytes.len());
    let text = CStr::from_bytes_until_nul(&bytes).ok()?;
    found.then(|| text.to_string_lossy().into_owned())
}

/// Type support of a service, with the C structures of its request and response.
#[derive(Clone, Copy)]
pub(crate) struct ServiceSupport {
    support: Support,
    request: RawMessage,
    response: RawMessage,
}

/// Names of the functions of a request or response.
pub(crate) struct MessageSymbols {
    /// Function that allocates the structure.
    pub(crate) create: String,
    /// Function that frees the structure.
    pub(crate) destroy: String,
    /// Function that returns the type support.
    pub(crate) support: String,
}

impl ServiceSupport {
    /// Returns the type support of the function `symbol` of `supports`, with the structures of
    /// request and response in `structures`.
    pub(crate) fn find(
        supports: Library,
        structures: Library,
        symbol: &str,
        [request, response]: [&MessageSymbols; 2],
    ) -> Option<Self> {
        let message = |symbols: &MessageSymbols| {
            Some(RawMessage {
                create: structures.symbol(&symbols.create)?,
                destroy: structures.symbol(&symbols.destroy)?,
                support: supports.support(&symbols.support)?,
            })
        };
        Some(Self {
            support: supports.support(symbol)?,
            request: message(request)?,
            response: message(response)?,
        })
    }

    /// Returns the type hash; `None` on distributions without hashes.
    pub(crate) fn hash(self) -> Option<String> {
        // SAFETY: the type support belongs to a service, the buffer has the given size.
        read_hash(|out, size| unsafe { merrow_service_hash(self.support, out, size) })
    }
}

/// Loads the functions of the interface `rmw` from `libraries`, once per process.
///
/// # Errors
/// A function is missing.
pub(crate) fn bind(libraries: &[Library]) -> Result<(), String> {
    static BOUND: OnceLock<Result<(), String>> = OnceLock::new();
    let bind = || {
        let (data, count) = (libraries.as_ptr(), libraries.len());
        // SAFETY: the handles are open. No other thread binds or calls `rmw`, because every call
        // follows this call.
        done(|error| unsafe { merrow_bind(data, count, error) })
    };
    BOUND.get_or_init(bind).clone()
}

/// A node on the network. Endpoints keep it alive.
pub(crate) struct Context {
    raw: NonNull<c_void>,
    /// The RMW allows one creation or destruction at a time.
    changes: Mutex<()>,
}

// SAFETY: rmw allows calls on any thread; `changes` serialises the creation of endpoints.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Joins the network as a node. The interface must be bound.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn join(options: &NodeOptions, names: &NameResolver) -> Result<Self, String> {
        let (name, namespace) = (c_string(names.node())?, c_string(names.namespace())?);
        let peers = options.static_peers.iter().map(|peer| c_string(peer));
        let peers = peers.collect::<Result<Vec<_>, _>>()?;
        let peers: Vec<_> = peers.iter().map(|peer| peer.as_ptr()).collect::<Vec<_>>();
        let given = RawNodeOptions {
            name: name.as_ptr(),
            namespace: namespace.as_ptr(),
            peers: peers.as_ptr(),
            peer_count: peers.len(),
            domain: options.domain_id.into(),
            discovery: match options.discovery {
                DiscoveryRange::Off => 0,
                DiscoveryRange::Localhost => 1,
                DiscoveryRange::Subnet => 2,
            },
        };
        // SAFETY: all pointers are C strings that outlive the call, which copies them.
        let raw = created(|error| unsafe { merrow_context_create(&given, error) })?;
        Ok(Self {
            raw,
            changes: Mutex::new(()),
        })
    }

    /// Returns the name of the RMW, such as `rmw_fastrtps_cpp`.
    pub(crate) fn implementation(&self) -> String {
        // SAFETY: the RMW is loaded, because the node exists; the text is constant.
        let name = unsafe { merrow_implementation() };
        if name.is_null() {
            return String::new();
        }
        // SAFETY: the pointer is a C string of the RMW, which stays loaded.
        unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: every endpoint holds the context, so none exists any more.
        unsafe { merrow_context_destroy(self.raw) }
    }
}

/// An endpoint of the RMW with its node and the closures that it calls.
struct Endpoint {
    raw: NonNull<c_void>,
    context: Arc<Context>,
    /// Freed after the endpoint has been destroyed. They stay at their addresses in memory.
    _callbacks: Box<[Callback]>,
    destroy: unsafe extern "C" fn(NonNull<c_void>),
}

// SAFETY: rmw allows calls on any thread. Calls that rmw does not allow concurrently take `&mut`.
unsafe impl Send for Endpoint {}
// SAFETY: as above.
unsafe impl Sync for Endpoint {}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _guard = self.context.changes.lock();
        // SAFETY: the pointer comes from the function that creates what `destroy` destroys; no
        // thread uses it any more. Its closures are freed after this.
        unsafe { (self.destroy)(self.raw) }
    }
}

impl Endpoint {
    /// Creates an endpoint with `create`, which receives the user pointer of the last closure, and
    /// lets `register` report its events to the first closure. Returns the endpoint, and whether
    /// the RMW reports them. All three functions are of the same kind of endpoint.
    ///
    /// # Errors
    /// Text of the RMW.
    fn create(
        context: &Arc<Context>,
        callbacks: Box<[Callback]>,
        destroy: unsafe extern "C" fn(NonNull<c_void>),
        register: unsafe extern "C" fn(NonNull<c_void>, Notify, *const c_void) -> bool,
        create: impl FnOnce(*const c_void, ErrorBuffer) -> *mut c_void,
    ) -> Result<(Self, bool), String> {
        let user = |callback: Option<&Callback>| -> *const c_void {
            callback.map_or(std::ptr::null(), |own| std::ptr::from_ref(own).cast())
        };
        let [first, last] = [callbacks.first(), callbacks.last()].map(user);
        let guard = context.changes.lock();
        let raw = created(|error| create(last, error))?;
        drop(guard);
        let this = Self {
            raw,
            context: Arc::clone(context),
            _callbacks: callbacks,
            destroy,
        };
        // SAFETY: the endpoint exists and has the kind of the function; the closure outlives it.
        let is_notified = unsafe { register(raw, notify, first) };
        Ok((this, is_notified))
    }
}

/// Returns the result of an operation that reports whether it succeeded, or the text of its error.
fn done(operation: impl FnOnce(ErrorBuffer) -> bool) -> Result<(), String> {
    let (is_done, error) = with_error(operation);
    is_done.then_some(()).ok_or(error)
}

/// A publisher of the RMW.
pub(crate) struct Publisher(Endpoint);

impl Publisher {
    /// Creates a publisher. Threads of the RMW call `on_match` when a subscription matches or
    /// leaves, and `on_incompatible`. Returns the publisher, and whether the RMW reports matches.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn create(
        context: &Arc<Context>,
        support: MessageSupport,
        topic: &str,
        qos: &Qos,
        [on_match, on_incompatible]: [Callback; 2],
    ) -> Result<(Self, bool), String> {
        let (own_topic, own_qos) = (c_string(topic)?, RawQos::from(qos));
        let callbacks: Box<[Callback]> = Box::new([on_match, on_incompatible]);
        let (destroy, register) = (merrow_publisher_destroy, merrow_publisher_notify);
        let (raw, topic, qos) = (context.raw, own_topic.as_ptr(), &raw const own_qos);
        // SAFETY: the pointers outlive the call, and the closure the publisher.
        let create = |user, error| unsafe {
            merrow_publisher_create(raw, support.0, topic, qos, notify, user, error)
        };
        let created = Endpoint::create(context, callbacks, destroy, register, create)?;
        Ok((Self(created.0), created.1))
    }

    /// Sends a serialized message.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn publish(&self, message: &[u8]) -> Result<(), String> {
        let (data, size) = (message.as_ptr(), message.len());
        // SAFETY: rmw reads the message during the call only, and allows several threads.
        done(|error| unsafe { merrow_publisher_publish(self.0.raw, data, size, error) })
    }

    /// Returns the number of matched subscriptions.
    pub(crate) fn matched(&self) -> usize {
        // SAFETY: the publisher exists; rmw allows several threads.
        unsafe { merrow_publisher_matched(self.0.raw) }
    }

    /// Returns the policy that made a subscription incompatible since the last call, or 0.
    pub(crate) fn take_incompatible(&self) -> u32 {
        // SAFETY: the publisher exists; only one thread takes events.
        unsafe { merrow_publisher_take_incompatible(self.0.raw) }
    }
}

/// A subscription of the RMW.
pub(crate) struct Subscription(Endpoint);

impl Subscription {
    /// Creates a subscription. Threads of the RMW call `on_messages` and `on_incompatible`. Returns
    /// also whether the RMW reports messages.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn create(
        context: &Arc<Context>,
        support: MessageSupport,
        topic: &str,
        qos: &Qos,
        [on_messages, on_incompatible]: [Callback; 2],
    ) -> Result<(Self, bool), String> {
        let (own_topic, own_qos) = (c_string(topic)?, RawQos::from(qos));
        let callbacks: Box<[Callback]> = Box::new([on_messages, on_incompatible]);
        let (destroy, register) = (merrow_subscription_destroy, merrow_subscription_notify);
        let (raw, topic, qos) = (context.raw, own_topic.as_ptr(), &raw const own_qos);
        // SAFETY: the pointers outlive the call, and the closure the subscription.
        let create = |user, error| unsafe {
            merrow_subscription_create(raw, support.0, topic, qos, notify, user, error)
        };
        let created = Endpoint::create(context, callbacks, destroy, register, create)?;
        Ok((Self(created.0), created.1))
    }

    /// Passes a waiting message to `callback`. Returns whether there was one.
    pub(crate) fn take(&mut self, callback: impl FnOnce(&[u8])) -> bool {
        let mut size = 0;
        // SAFETY: the subscription exists; `&mut self` excludes concurrent calls.
        let data = unsafe { merrow_subscription_take(self.0.raw, &mut size) };
        if data.is_null() {
            return false;
        }
        // SAFETY: the buffer of the subscription has this size and stays until the next call.
        callback(unsafe { std::slice::from_raw_parts(data, size) });
        true
    }

    /// Returns the policy that made a publisher incompatible since the last call, or 0.
    pub(crate) fn take_incompatible(&mut self) -> u32 {
        // SAFETY: the subscription exists; `&mut self` excludes concurrent calls.
        unsafe { merrow_subscription_take_incompatible(self.0.raw) }
    }
}

/// The server of a service.
pub(crate) struct Service {
    endpoint: Endpoint,
    /// The buffer of the server contains one request.
    taking: Mutex<()>,
}

impl Service {
    /// Creates the server of a service. Threads of the RMW call `on_requests`. Returns the server,
    /// and whether the RMW reports requests.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn create(
        context: &Arc<Context>,
        support: ServiceSupport,
        name: &str,
        qos: &Qos,
        on_requests: Callback,
    ) -> Result<(Self, bool), String> {
        let (own_name, own_qos) = (c_string(name)?, RawQos::from(qos));
        let (destroy, register) = (merrow_service_destroy, merrow_service_notify);
        let ServiceSupport {
            support,
            request,
            response,
        } = support;
        let (raw, name, qos) = (context.raw, own_name.as_ptr(), &raw const own_qos);
        // SAFETY: the pointers outlive the call; functions and type supports belong to the
        // service, and their libraries stay open.
        let create = |_, error| unsafe {
            merrow_service_create(raw, support, request, response, name, qos, error)
        };
        let created =
            Endpoint::create(context, Box::new([on_requests]), destroy, register, create)?;
        let this = Self {
            endpoint: created.0,
            taking: Mutex::new(()),
        };
        Ok((this, created.1))
    }

    /// Returns a waiting request and its identity. A request that cannot be decoded is empty.
    pub(crate) fn take(&self) -> Option<(RequestId, Vec<u8>)> {
        let _guard = self.taking.lock();
        let (mut size, mut id) = (0, RequestId::default());
        // SAFETY: the service exists; the guard excludes concurrent calls.
        let data = unsafe { merrow_service_take(self.endpoint.raw, &mut size, &mut id) };
        if data.is_null() {
            return None;
        }
        // SAFETY: the buffer of the service has this size and stays until the next call.
        let request = unsafe { std::slice::from_raw_parts(data, size) };
        Some((id, request.to_vec()))
    }

    /// Sends a serialized response.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn respond(&self, id: &RequestId, response: &[u8]) -> Result<(), String> {
        let (data, size) = (response.as_ptr(), response.len());
        // SAFETY: rmw reads the response during the call only, and allows several threads.
        done(|error| unsafe { merrow_service_respond(self.endpoint.raw, id, data, size, error) })
    }
}

/// A client of a service.
pub(crate) struct Client {
    endpoint: Endpoint,
    /// Held while a response is taken: the buffer of the client contains one response.
    taking: Mutex<()>,
}

impl Client {
    /// Creates a client of a service. Threads of the RMW call `on_responses`. Returns the client,
    /// and whether the RMW reports responses.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn create(
        context: &Arc<Context>,
        support: ServiceSupport,
        name: &str,
        qos: &Qos,
        on_responses: Callback,
    ) -> Result<(Self, bool), String> {
        let (own_name, own_qos) = (c_string(name)?, RawQos::from(qos));
        let (destroy, register) = (merrow_client_destroy, merrow_client_notify);
        let ServiceSupport {
            support,
            request,
            response,
        } = support;
        let (raw, name, qos) = (context.raw, own_name.as_ptr(), &raw const own_qos);
        // SAFETY: the pointers outlive the call; functions and type supports belong to the
        // service, and their libraries stay open.
        let create = |_, error| unsafe {
            merrow_client_create(raw, support, request, response, name, qos, error)
        };
        let created =
            Endpoint::create(context, Box::new([on_responses]), destroy, register, create)?;
        let this = Self {
            endpoint: created.0,
            taking: Mutex::new(()),
        };
        Ok((this, created.1))
    }

    /// Returns whether a server receives the next request and its response arrives.
    pub(crate) fn has_server(&self) -> bool {
        // rmw reads the graph of the node, which the guard keeps unchanged
        let _guard = self.endpoint.context.changes.lock();
        // SAFETY: the client and its node exist.
        unsafe { merrow_client_has_server(self.endpoint.raw) }
    }

    /// Sends a serialized request and returns its number.
    ///
    /// # Errors
    /// Text of the RMW.
    pub(crate) fn call(&self, request: &[u8]) -> Result<i64, String> {
        let (data, size, mut number) = (request.as_ptr(), request.len(), 0);
        // SAFETY: rmw reads the request during the call only, and allows several threads.
        done(|error| unsafe {
            merrow_client_call(self.endpoint.raw, data, size, &raw mut number, error)
        })?;
        Ok(number)
    }

    /// Returns a waiting response and the number of its request. A response that cannot be decoded
    /// is empty.
    pub(crate) fn take(&self) -> Option<(i64, Vec<u8>)> {
        let _guard = self.taking.lock();
        let (mut size, mut number) = (0, 0);
        // SAFETY: the client exists; the guard excludes concurrent calls.
        let data = unsafe { merrow_client_take(self.endpoint.raw, &mut size, &mut number) };
        if data.is_null() {
            return None;
        }
        // SAFETY: the buffer of the client has this size and stays until the next call.
        let response = unsafe { std::slice::from_raw_parts(data, size) };
        Some((number, response.to_vec()))
    }
}
