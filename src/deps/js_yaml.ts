/** Lazy door to npm `js-yaml`: reading YAML (YAML 1.2 core). */
export { load, YAMLException } from "js-yaml";
