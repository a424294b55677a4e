//! World of a recording: a metadata record in the bag that names the world file, its changes and
//! the overrides of the run.

use merrow_model::scene::robot::profile::Profile;
use merrow_world::{Document, Overrides, World, data_dir};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the metadata record.
pub const RECORD: &str = "merrow_world";
/// Topic of the actuators: command, thrust [N] and shaft speed [rad/s] of all thrusters, in the
/// order of the robots. Only bags contain it.
pub const ACTUATORS: &str = "/merrow/actuators";
const FILE: &str = "file";
const TEXT: &str = "text";
const SEED: &str = "seed";
const PROFILE: &str = "profile";

/// World of a run, as bags store it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedWorld {
    /// Path of the world file; empty for a world in memory.
    pub file: String,
    /// World file with the changes of the run, as [`Document::to_yaml`] writes it.
    pub text: String,
    /// Seed that replaces the seed of the world file; `None`: seed of the world file.
    pub seed: Option<u64>,
    /// Profile that replaces the profiles of all robots; `None`: profiles of the world file.
    pub profile: Option<Profile>,
}

impl RecordedWorld {
    /// Returns the world of a run with these overrides.
    pub fn new(document: &Document, seed: Option<u64>, profile: Option<Profile>) -> Self {
        let path = document.path().map(|path| path.to_string_lossy());
        Self {
            file: path.unwrap_or_default().into_owned(),
            text: document.to_yaml(),
            seed,
            profile,
        }
    }

    /// Returns the keys and texts that [`Self::from_metadata`] reads.
    pub fn to_metadata(&self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::from([
            (FILE.to_string(), self.file.clone()),
            (TEXT.to_string(), self.text.clone()),
        ]);
        let seed = self.seed.map(|seed| (SEED.to_string(), seed.to_string()));
        metadata.extend(seed);
        let profile = self.profile.map(Profile::keyword);
        metadata.extend(profile.map(|name| (PROFILE.to_string(), name.to_string())));
        metadata
    }

    /// Reads the content of the metadata record; `None` without a world.
    pub fn from_metadata(metadata: &BTreeMap<String, String>) -> Option<Self> {
        let text = |key: &str| metadata.get(key).cloned();
        Some(Self {
            file: text(FILE)?,
            text: text(TEXT)?,
            seed: text(SEED).and_then(|seed| seed.parse().ok()),
            profile: text(PROFILE).and_then(|name| Profile::from_keyword(&name)),
        })
    }

    /// Returns the overrides of the run that affect the scene.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            seed: self.seed,
            profile: self.profile,
            ..Overrides::default()
        }
    }

    /// Loads the world. A bundled world is also found in another installation.
    ///
    /// # Errors
    /// The world file does not exist or is not valid.
    pub fn load(&self) -> Result<World, String> {
        let mut text = self.text.clone();
        if !self.file.is_empty() && !Path::new(&self.file).is_file() {
            let stem = Path::new(&self.file).file_stem();
            let name = stem.unwrap_or_default().to_string_lossy();
            let bundled = data_dir::world_file(&name);
            if !bundled.is_file() {
                return Err(format!(
                    "the world file {} does not exist; name it with --world",
                    self.file
                ));
            }
            text = text.replacen(&self.file, &bundled.to_string_lossy(), 1);
        }
        let loaded = Document::from_text("recorded world", &text, self.overrides());
        let (_, world) = loaded.map_err(|problems| {
            format!("the recorded world is not valid: {problems}\nname a valid world with --world")
        })?;
        Ok(world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_are_restored_from_metadata() {
        let world = RecordedWorld {
            file: "/elsewhere/worlds/pool.yaml".to_string(),
            text: "extends: \"/elsewhere/worlds/pool.yaml\"\n".to_string(),
            seed: Some(7),
            profile: Some(Profile::Uuv),
        };
        let restored = RecordedWorld::from_metadata(&world.to_metadata());
        assert_eq!(restored.as_ref(), Some(&world));
        assert_eq!(RecordedWorld::from_metadata(&BTreeMap::new()), None);
        // the bundled world of this installation
        let loaded = world.load().expect("a world");
        assert_eq!(loaded.scene.seed, 7);
        assert!(!loaded.scene.robots.is_empty());
        let unknown = RecordedWorld {
            file: "/elsewhere/unknown.yaml".to_string(),
            ..world
        };
        let error = unknown.load().map(|_| ()).expect_err("no world");
        assert!(error.contains("--world"), "{error}");
    }
}
