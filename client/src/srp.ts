/**
 * The client's side of [SRP-6a](https://www.rfc-editor.org/rfc/rfc5054#section-2.5) as Amazon Cognito does it: it proves
 * that the user knows the password, and does not send it.
 *
 * Cognito documents the protocol nowhere. This follows `AuthenticationHelper` of amazon-cognito-identity-js.
 */

import {fromBase64} from "./session.js";

/** The [prime of 3072 bits](https://www.rfc-editor.org/rfc/rfc3526#section-4). The generator is 2, where RFC 5054 has 5. */
const N = BigInt(
  "0xffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b" +
    "302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe6" +
    "49286651ece45b3dc2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f83655d23dca3ad961c62f356208552bb9ed529077096966d" +
    "670c354e4abc9804f1746c08ca18217c32905e462e36ce3be39e772c180e86039b2783a2ec07a28fb5c55df06f4c52c9de2bcbf695581718" +
    "3995497cea956ae515d2261898fa051015728e5a8aaac42dad33170d04507a33a85521abdf1cba64ecfb850458dbef0a8aea71575d060c7d" +
    "b3970f85a6e1e4c7abf5ae8cdb0933d71e8c94e04a25619dcee3d2261ad2ee6bf12ffa06d98a0864d87602733ec86a64521f2b18177b200c" +
    "bbe117577a615d6c770988c0bad946e208e24fa074e5ab3143db5bfce0fd108e4b82d120a93ad2caffffffffffffffff",
);
const g = 2n;

/** What Cognito answers to `USER_SRP_AUTH`. */
export type PasswordVerifier = Record<"SALT" | "SRP_B" | "USER_ID_FOR_SRP" | "USERNAME" | "SECRET_BLOCK", string>;

/** Begins a sign-in to the user pool of this name, with a secret of 256 bits. */
export function srp(pool: string, a = number(crypto.getRandomValues(new Uint8Array(32)))) {
  const A = power(g, a);
  return {
    SRP_A: A.toString(16),

    /** Returns the answer to the challenge PASSWORD_VERIFIER. */
    async claim(challenge: PasswordVerifier, password: string, now = new Date()) {
      const {SALT, SRP_B, USER_ID_FOR_SRP, USERNAME, SECRET_BLOCK} = challenge;
      const B = BigInt("0x" + SRP_B);
      const k = await hash(bytes(N), bytes(g));
      const u = await hash(bytes(A), bytes(B));
      if (B % N === 0n || u === 0n) throw new Error("Cognito has sent an SRP value that would reveal the password");
      const x = await hash(bytes(BigInt("0x" + SALT)), await sha256(text(`${pool}${USER_ID_FOR_SRP}:${password}`)));
      const S = power(B - k * power(g, x), a + u * x);

      const TIMESTAMP = timestamp(now);
      const secret = await crypto.subtle.importKey("raw", bytes(S), "HKDF", false, ["deriveKey"]);
      const key = await crypto.subtle.deriveKey(
        {name: "HKDF", hash: "SHA-256", salt: bytes(u), info: text("Caldera Derived Key")},
        secret,
        {name: "HMAC", hash: "SHA-256", length: 128},
        false,
        ["sign"],
      );
      const message = join(text(pool + USER_ID_FOR_SRP), fromBase64(SECRET_BLOCK), text(TIMESTAMP));
      const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
      return {
        USERNAME,
        TIMESTAMP,
        PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK,
        PASSWORD_CLAIM_SIGNATURE: btoa(String.fromCharCode(...signature)),
      };
    },
  };
}

/** Returns a time as Cognito expects it: `Fri Nov 6 09:05:03 UTC 2026`. */
export function timestamp(now: Date): string {
  const [weekday, day, month, year, time] = now.toUTCString().split(/,? /);
  return `${weekday} ${month} ${Number(day)} ${time} UTC ${year}`;
}

/** Returns `base ** exponent` modulo N. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (base = ((base % N) + N) % N; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % N;
    base = (base * base) % N;
  }
  return result;
}

/** Returns the bytes of a number in two's complement, with a zero before a first bit that is set. */
function bytes(value: bigint): Uint8Array<ArrayBuffer> {
  let hex = value.toString(16);
  if (hex.length % 2) hex = "0" + hex;
  if (/^[89a-f]/.test(hex)) hex = "00" + hex;
  return Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16));
}

const number = (value: Uint8Array): bigint =>
  BigInt("0x" + Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join(""));

const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);

const join = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => Uint8Array.from(parts.flatMap((part) => [...part]));

const sha256 = async (...parts: Uint8Array[]): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));

const hash = async (...parts: Uint8Array[]): Promise<bigint> => number(await sha256(...parts));
