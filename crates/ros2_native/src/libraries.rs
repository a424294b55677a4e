//! Libraries of the sourced ROS 2: the RMW and the message packages.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use merrow_ros2::backend::{ServiceDescription, TopicDescription};
use merrow_ros2::message::TypeInfo;

use crate::ffi::{self, Library, MessageSupport, MessageSymbols, ServiceSupport};
use crate::type_support::{self as names, Unavailable};

/// Distribution whose headers the calls into `rmw` were compiled with; may be empty.
const BUILD_DISTRO: &str = env!("MERROW_ROS_DISTRO");

/// Open libraries by name.
pub(crate) struct Libraries {
    /// Name of the sourced distribution; may be empty.
    distro: String,
    folders: Vec<PathBuf>,
    /// `None` for libraries that cannot be opened.
    open: Mutex<BTreeMap<String, Option<Library>>>,
}

impl Libraries {
    /// Loads the interface of the RMW from the sourced ROS 2.
    ///
    /// # Errors
    /// No ROS 2 or another distribution is sourced, or its libraries are not complete.
    pub(crate) fn load() -> Result<Self, String> {
        let prefixes = env::var_os("AMENT_PREFIX_PATH").unwrap_or_default();
        let distro = env::var("ROS_DISTRO").unwrap_or_default();
        check_distro(BUILD_DISTRO, &distro)?;
        let folders = env::split_paths(&prefixes).map(|prefix| prefix.join("lib"));
        let this = Self {
            distro,
            folders: folders.collect(),
            open: Mutex::default(),
        };
        let names = ["rmw_implementation", "rmw", "rcutils"];
        let libraries = names.iter().map(|name| this.open_now(name));
        let libraries = libraries.collect::<Result<Vec<_>, _>>().map_err(|why| {
            format!("no ROS 2 is sourced; source /opt/ros/DISTRO/setup.bash ({why})")
        })?;
        ffi::bind(&libraries)?;
        Ok(this)
    }

    /// Returns the name of the sourced distribution; may be empty.
    pub(crate) fn distro(&self) -> &str {
        &self.distro
    }

    /// Returns the type support of a topic.
    ///
    /// # Errors
    /// The package or type is missing, or has another definition.
    pub(crate) fn message(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<MessageSupport, Unavailable> {
        let TypeInfo { name, hash, .. } = topic.message;
        let library = self.package(name, names::support_library)?;
        let found = MessageSupport::find(library, &names::message_symbol(name));
        let support = found.ok_or_else(|| lacks(name))?;
        same_definition(name, hash, support.hash())?;
        Ok(support)
    }

    /// Returns the type support of a service.
    ///
    /// # Errors
    /// As [`Libraries::message`].
    pub(crate) fn service(
        &self,
        service: &ServiceDescription<'_>,
    ) -> Result<ServiceSupport, Unavailable> {
        let info = service.info;
        let name = info.name;
        let supports = self.package(name, names::support_library)?;
        let structures = self.package(name, names::structure_library)?;
        let symbols = |message: &TypeInfo| MessageSymbols {
            create: names::create_symbol(message.name),
            destroy: names::destroy_symbol(message.name),
            support: names::message_symbol(message.name),
        };
        let messages = [&symbols(info.request), &symbols(info.response)];
        let symbol = names::service_symbol(name);
        let found = ServiceSupport::find(supports, structures, &symbol, messages);
        let support = found.ok_or_else(|| lacks(name))?;
        same_definition(name, info.hash, support.hash())?;
        Ok(support)
    }

    /// Returns a library of the package of a type.
    fn package(
        &self,
        type_name: &str,
        library: fn(&str) -> String,
    ) -> Result<Library, Unavailable> {
        let package = names::package_of(type_name);
        let missing = || Unavailable::Package {
            package: package.to_owned(),
        };
        self.library(&library(package)).ok_or_else(missing)
    }

    /// Returns the library `name`, opened at the first call.
    fn library(&self, name: &str) -> Option<Library> {
        let mut open = self.open.lock();
        if let Some(known) = open.get(name) {
            return *known;
        }
        let opened = self.open_now(name).ok();
        open.insert(name.to_owned(), opened);
        opened
    }

    /// Opens a library in the folders of the sourced workspaces, otherwise on the search path of
    /// the system.
    fn open_now(&self, name: &str) -> Result<Library, String> {
        let file = names::library_file(name);
        let paths = self.folders.iter().map(|folder| folder.join(&file));
        let installed = paths.filter(|path| path.exists());
        let mut error = String::new();
        for path in installed.chain([Path::new(&file).to_owned()]) {
            match Library::open(&path) {
                Ok(library) => return Ok(library),
                Err(why) if error.is_empty() => error = why,
                Err(_) => {}
            }
        }
        Err(error)
    }
}

/// Compares the distributions that the program was built with and that is sourced.
fn check_distro(built: &str, sourced: &str) -> Result<(), String> {
    if built.is_empty() || sourced.is_empty() || built == sourced {
        return Ok(());
    }
    Err(format!(
        "the program was built with ROS 2 {built}, but {sourced} is sourced; build it again in \
         this environment"
    ))
}

fn lacks(name: &str) -> Unavailable {
    Unavailable::Type {
        name: name.to_owned(),
    }
}

/// Compares the type hash of Merrow with the hash of the installed type, if it has one.
fn same_definition(name: &str, own: &str, installed: Option<String>) -> Result<(), Unavailable> {
    match installed {
        Some(installed) if installed != own => Err(Unavailable::Definition {
            name: name.to_owned(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_distributions_are_refused() {
        assert_eq!(check_distro("jazzy", "jazzy"), Ok(()));
        assert_eq!(check_distro("", "humble"), Ok(()));
        assert_eq!(check_distro("jazzy", ""), Ok(()));
        let error = check_distro("jazzy", "humble").unwrap_err();
        assert!(error.contains("built with ROS 2 jazzy"), "{error}");
    }

    #[test]
    fn other_definitions_are_refused() {
        let name = "std_msgs/msg/String";
        assert_eq!(same_definition(name, "a", None), Ok(()));
        assert_eq!(same_definition(name, "a", Some("a".to_owned())), Ok(()));
        let other = same_definition(name, "a", Some("b".to_owned()));
        let name = name.to_owned();
        assert_eq!(other, Err(Unavailable::Definition { name }));
    }

    #[test]
    fn installed_types_have_the_hashes_of_merrow() {
        use merrow_ros2::message::{Message, Service};
        use merrow_ros2::msg::{std_msgs, std_srvs};
        use merrow_ros2::qos::Qos;
        let libraries = Libraries::load().unwrap();
        let topic = TopicDescription {
            name: "/chatter",
            message: std_msgs::String::info(),
            qos: &Qos::DEFAULT,
        };
        let support = libraries.message(&topic).unwrap();
        let own = &std_msgs::String::info().hash;
        assert!(support.hash().is_none_or(|hash| hash == *own));
        let service = ServiceDescription {
            name: "/trigger",
            info: &std_srvs::Trigger::info(),
            qos: &Qos::SERVICE,
        };
        let support = libraries.service(&service).unwrap();
        let own = std_srvs::Trigger::info().hash;
        assert!(support.hash().is_none_or(|hash| hash == own));
    }
}
