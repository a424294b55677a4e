//! Conversion of the sensors of the vehicle itself and of the air around it.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_model::sensor::vehicle::{
    BarometerKeys, BarometerSpec, LeakDetector, MotorSpec, MotorTelemetry, PowerMeter, PowerSpec,
    WrenchKeys, WrenchSpec,
};

impl BuildSensor for WrenchKeys {
    type Spec = WrenchSpec;

    fn build(&self, cx: &SensorContext<'_>) -> WrenchSpec {
        if cx.link == 0 {
            let text = format!(
                "{} measures the wrench through a joint, base_link has none; expected a `link`",
                cx.name
            );
            cx.error(&cx.file.at.whole, text);
        }
        WrenchSpec::new(self, |noise, channel| cx.errors(noise, channel))
    }
}

impl BuildSensor for BarometerKeys {
    type Spec = BarometerSpec;

    fn build(&self, cx: &SensorContext<'_>) -> BarometerSpec {
        if let Some(range) = self.range_pa {
            cx.check_ascending(&self.at, "range_pa", range);
        }
        BarometerSpec::new(self, |noise, channel| cx.errors(noise, channel))
    }
}

impl BuildSensor for LeakDetector {
    type Spec = Self;

    fn build(&self, _: &SensorContext<'_>) -> Self {
        self.clone()
    }
}

impl BuildSensor for MotorTelemetry {
    const MEASURES_THRUSTER: bool = true;

    type Spec = MotorSpec;

    fn build(&self, cx: &SensorContext<'_>) -> MotorSpec {
        MotorSpec {
            keys: self.clone(),
            thruster: find_thruster(cx),
            errors: [
                cx.errors(&self.speed, "speed"),
                cx.errors(&self.current, "current"),
                cx.errors(&self.voltage, "voltage"),
                cx.errors(&self.temperature, "temperature"),
            ],
        }
    }
}

impl BuildSensor for PowerMeter {
    type Spec = PowerSpec;

    fn build(&self, cx: &SensorContext<'_>) -> PowerSpec {
        if cx.carrier.battery.is_none() {
            let text = format!(
                "{} measures the battery, {} has none",
                cx.name, cx.carrier.name
            );
            cx.error(&cx.file.at.whole, text);
        }
        PowerSpec::new(self, |noise, channel| cx.errors(noise, channel))
    }
}

/// Returns the index of the thruster that the key `thruster` names; 0 without one.
fn find_thruster(cx: &SensorContext<'_>) -> usize {
    let (name, file, robot) = (cx.name, cx.file, cx.carrier);
    let Some(requested) = &file.thruster else {
        let text = format!(
            "{name} measures a motor; expected the key `thruster`, the thruster of this motor"
        );
        cx.error(&file.at.whole, text);
        return 0;
    };
    let names = robot.thrusters.iter().map(|t| t.name.as_str());
    let place = file.at.key_place("thruster");
    let found = cx.find(place, requested, names, |thruster| {
        format!("no thruster {thruster} on {}", robot.name)
    });
    found.unwrap_or(0)
}
