/** How a text names what hermes trusts, and places of secrets. Linear in the text. */

/** The hermes home, joined from parts or not, its key and the variable that moves it. */
export const TRUSTED_MENTIONS =
  /\.hermes(?:["'`/\\]|$)|\bHERMES_(?:HOME|BIN_CACHE)\b|\bhermes-env-|\bseal\.key\b/m;

/** Keys and tokens that lie in every home, and hashes of passwords. */
export const SECRET_MENTIONS =
  /\.ssh(?:["'`]|\/(?:id_|identity|["'`*]))|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\/credentials|\.(?:netrc|pgpass|git-credentials|vault-token|password-store)\b|\.gnupg\b|\.kube\/config|\.docker\/config\.json|\.config\/(?:gh|gcloud)\b|\/etc\/g?shadow\b/;
