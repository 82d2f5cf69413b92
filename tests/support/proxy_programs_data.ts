/**
 * Programs that fetch over HTTP, each with a command line that fetches from `BASE` and what it
 * prints then. `HOME` is the test's own directory; `CA` is the certificate of its server.
 */

export interface FetchingProgram {
  readonly name: string;
  /** Run by `sh -c`. */
  readonly command: string;
  /** What it prints when it got what it wanted. */
  readonly prints: RegExp;
  /** What it shows of a CONNECT that the proxy refused; most show the status, some the sentence. */
  readonly shows: RegExp;
}

const SENTENCE = /the host evil\.test is not on the list of --network/;

export const FETCHING_PROGRAMS: readonly FetchingProgram[] = [
  {
    name: "curl",
    command: `curl -sS --max-time 20 --cacert "$CA" $BASE/plain`,
    prints: /^hello from allowed\.test$/m,
    shows: /CONNECT tunnel failed, response 403|code 403 from proxy/,
  },
  {
    name: "wget",
    command:
      `wget -q -T 20 -t 1 --ca-certificate="$CA" -O - $BASE/plain || wget -T 5 -t 1 -O - $BASE/`,
    prints: /^hello from allowed\.test$/m,
    shows: SENTENCE,
  },
  {
    name: "git",
    command: `GIT_SSL_CAINFO="$CA" git ls-remote $BASE/repo.git`,
    prints: /^0123456789012345678901234567890123456789\srefs\/heads\/main$/m,
    shows: /403/,
  },
  {
    name: "python3",
    command:
      `SSL_CERT_FILE="$CA" python3 -c "import urllib.request; print(urllib.request.urlopen('$BASE/plain', timeout=20).read().decode())"`,
    prints: /^hello from allowed\.test$/m,
    shows: SENTENCE,
  },
  {
    name: "pip",
    command:
      `python3 -m pip --isolated --no-cache-dir --disable-pip-version-check --retries 0 --cert "$CA" ` +
      `--trusted-host allowed.test download -d "$HOME/pip" --no-deps --no-build-isolation ` +
      `--index-url $BASE/simple demo -vv 2>&1`,
    prints: /Link requires a different Python|Found link .*demo-1\.0/,
    shows: SENTENCE,
  },
  {
    name: "npm",
    command:
      `npm_config_cafile="$CA" npm_config_fetch_retries=0 npm_config_update_notifier=false ` +
      `npm view demo version --registry $BASE/npm/`,
    prints: /^1\.2\.3$/m,
    shows: /403/,
  },
  {
    name: "go",
    command:
      `SSL_CERT_FILE="$CA" GOPROXY=$BASE/go GONOSUMDB='*' GOTOOLCHAIN=local GOFLAGS=-mod=mod ` +
      `GOPATH="$HOME/go" go list -m -versions example.org/demo`,
    prints: /^example\.org\/demo v1\.0\.0$/m,
    shows: SENTENCE,
  },
  {
    name: "cargo",
    command: `CARGO_HTTP_CAINFO="$CA" CARGO_NET_RETRY=0 CARGO_HOME="$HOME/cargo" ` +
      `cargo search demo --index sparse+$BASE/cargo/`,
    prints: /^demo = "1\.0\.0"/m,
    shows: /403/,
  },
  {
    name: "deno",
    command:
      `DENO_TLS_CA_STORE=system DENO_CERT="$CA" DENO_DIR="$HOME/deno" DENO_NO_UPDATE_CHECK=1 ` +
      `deno run -q --no-config --allow-import $BASE/mod.ts`,
    prints: /^a module of allowed\.test$/m,
    shows: /./,
  },
];
