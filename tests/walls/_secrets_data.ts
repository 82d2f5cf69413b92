/** The fake secrets of a home in these tests: where each is, below the home. */

export interface SecretPlace {
  readonly id: string;
  readonly path: string;
}

export const SECRET_PLACES: readonly SecretPlace[] = [
  { id: "ssh-key", path: ".ssh/id_ed25519" },
  { id: "ssh-other-name", path: ".ssh/work" },
  { id: "aws", path: ".aws/credentials" },
  { id: "gnupg", path: ".gnupg/private-keys-v1.d/key" },
  { id: "gcloud", path: ".config/gcloud/credentials.db" },
  { id: "kube", path: ".kube/config" },
  { id: "docker", path: ".docker/config.json" },
  { id: "netrc", path: ".netrc" },
  { id: "npmrc", path: ".npmrc" },
  { id: "firefox", path: ".mozilla/firefox/x.default/logins.json" },
  { id: "chrome", path: ".config/google-chrome/Default/Login Data" },
  { id: "hermes-env", path: ".hermes/.env" },
  { id: "hermes-auth", path: ".hermes/auth.json" },
];

/** Ordinary files of a home, which stay readable. */
export const HOME_FILES: Readonly<Record<string, string>> = {
  ".gitconfig": "[user]\n\tname = Ann Example\n\temail = ann@example.org\n" +
    "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
  ".bashrc": "# shell settings\n",
  ".profile": "# login settings\n",
  "notes.txt": "ordinary notes\n",
};
