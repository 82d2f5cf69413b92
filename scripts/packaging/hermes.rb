# Homebrew formula of hermes @VERSION@. The release fills in the marks; publish it in a tap.
class Hermes < Formula
  desc "LLM agent in one executable: headless first, sandboxed, scriptable"
  homepage "@RELEASES_URL@"
  version "@VERSION@"

  on_macos do
    on_arm do
      url "@RELEASES_URL@/download/v@VERSION@/hermes-darwin-arm64"
      sha256 "@SHA256_DARWIN_ARM64@"
    end
    on_intel do
      url "@RELEASES_URL@/download/v@VERSION@/hermes-darwin-x64"
      sha256 "@SHA256_DARWIN_X64@"
    end
  end

  on_linux do
    on_arm do
      url "@RELEASES_URL@/download/v@VERSION@/hermes-linux-arm64"
      sha256 "@SHA256_LINUX_ARM64@"
    end
    on_intel do
      url "@RELEASES_URL@/download/v@VERSION@/hermes-linux-x64"
      sha256 "@SHA256_LINUX_X64@"
    end
  end

  def install
    bin.install Dir["hermes-*"].first => "hermes"
    ENV["HERMES_BIN_CACHE"] = buildpath/"cache"
    generate_completions_from_executable(bin/"hermes", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hermes --version")
  end
end
