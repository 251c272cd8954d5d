// The kit of handler authors under its short name, as AssemblyScript finds it in a package: `chain-upgrade/handler`.
export * from "./assembly/handler/index";
