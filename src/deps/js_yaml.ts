/** Lazy import of npm `js-yaml`: reading YAML (YAML 1.2 core). */
export { load, parseEvents, YAMLException } from "js-yaml";
