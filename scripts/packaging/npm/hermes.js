#!/usr/bin/env node
/**
 * Runs the hermes executable of this package's version. It is downloaded at the first use,
 * checked against the SHA-256 below and kept in the user's cache.
 */
"use strict";
const { spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const VERSION = "@VERSION@";
const RELEASES_URL = "@RELEASES_URL@";
const SHA256 = {
  "linux-x64": "@SHA256_LINUX_X64@",
  "linux-arm64": "@SHA256_LINUX_ARM64@",
  "darwin-x64": "@SHA256_DARWIN_X64@",
  "darwin-arm64": "@SHA256_DARWIN_ARM64@",
};

function cacheDirectory() {
  const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  return path.join(base, "hermes", "npm");
}

async function executable() {
  const platform = `${process.platform}-${process.arch}`;
  const sha256 = SHA256[platform];
  if (sha256 === undefined) throw new Error(`there is no executable for ${platform}`);
  const file = path.join(cacheDirectory(), `hermes-${VERSION}-${sha256.slice(0, 16)}`);
  if (fs.existsSync(file)) return file;
  const url = `${RELEASES_URL}/download/v${VERSION}/hermes-${platform}`;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot download ${url}: status ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const sum = createHash("sha256").update(bytes).digest("hex");
  if (sum !== sha256) throw new Error(`${url} has SHA-256 ${sum}, not ${sha256}`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, bytes, { mode: 0o755 });
  fs.renameSync(temporary, file);
  return file;
}

async function main() {
  const child = spawn(await executable(), process.argv.slice(2), { stdio: "inherit" });
  // Ctrl-C reaches the whole group; hermes decides what it means.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    process.exit(code ?? 128 + (os.constants.signals[signal] ?? 1));
  });
}

function fail(error) {
  console.error(`hermes: ${error.message}`);
  process.exit(1);
}

main().catch(fail);
