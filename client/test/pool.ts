/** A user pool in a few lines that verifies passwords by SRP, which moto does not, and rotates and revokes tokens. */

import {createHash, createHmac, getDiffieHellman, hkdfSync, randomBytes, randomUUID} from "node:crypto";
import {createServer} from "node:http";
import type {AddressInfo} from "node:net";

const N = BigInt("0x" + getDiffieHellman("modp15").getPrime("hex"));
const hex = (value: bigint) => {
  const digits = value.toString(16);
  const even = digits.length % 2 ? `0${digits}` : digits;
  return Buffer.from(even[0]! >= "8" ? `00${even}` : even, "hex");
};
const sha256 = (...parts: (Buffer | string)[]) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const number = (value: Buffer) => BigInt("0x" + value.toString("hex"));
const power = (base: bigint, exponent: bigint): bigint =>
  exponent === 0n ? 1n : (power((base * base) % N, exponent / 2n) * (exponent % 2n ? base : 1n)) % N;

/** The server's side of SRP for one sign-in, which knows the verifier of the password alone. */
export function verifier(pool: string, username: string, password: string) {
  const salt = number(randomBytes(16));
  const v = power(2n, number(sha256(hex(salt), sha256(`${pool}${username}:${password}`))));
  const b = number(randomBytes(32));
  const B = (number(sha256(hex(N), hex(2n))) * v + power(2n, b)) % N;
  const block = randomBytes(64).toString("base64");
  return {
    challenge: {SALT: salt.toString(16), SRP_B: B.toString(16), USERNAME: username, USER_ID_FOR_SRP: username, SECRET_BLOCK: block},
    /** Returns whether an answer proves that the client knows the password. */
    accepts(SRP_A: string, answer: Record<string, string>): boolean {
      const A = BigInt("0x" + SRP_A);
      const u = sha256(hex(A), hex(B));
      const S = power(A * power(v, number(u)), b);
      const key = Buffer.from(hkdfSync("sha256", hex(S), hex(number(u)), "Caldera Derived Key", 16));
      const claim = createHmac("sha256", key).update(pool + username).update(Buffer.from(block, "base64")).update(answer["TIMESTAMP"]!);
      return claim.digest("base64") === answer["PASSWORD_CLAIM_SIGNATURE"];
    },
  };
}

/** Returns an access token that lives for an hour and that nobody has signed. `ahead`: by how much the clock of the server is ahead. */
export function accessToken(username: string, ahead = 0): string {
  const iat = Math.floor((Date.now() + ahead) / 1000);
  const claims = {username, iat, exp: iat + 3600, jti: randomUUID()};
  return ["{}", JSON.stringify(claims), ""].map((part) => Buffer.from(part).toString("base64url")).join(".");
}

/** Starts a server whose answers a function makes. */
export async function serve(answer: (url: string, body: string, target: string) => Promise<{status?: number; body: string}>) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const answered = await answer(request.url!, body, String(request.headers["x-amz-target"]));
    response.writeHead(answered.status ?? 200, {"Content-Type": "application/json"}).end(answered.body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const stop = () => (server.close(), server.closeAllConnections());
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop};
}

/** Starts a user pool with the user dora. */
export async function userPool({name = "AbCdEfGhI", password = "Harbour-Street-12"} = {}) {
  const issue = () => {
    const refreshToken = randomUUID();
    pool.valid.add(refreshToken);
    return {AccessToken: accessToken("dora", pool.ahead), RefreshToken: refreshToken};
  };
  let signIn: {SRP_A: string; srp: ReturnType<typeof verifier>};
  const actions: Record<string, (input: any) => object> = {
    InitiateAuth({AuthParameters: {SRP_A}}) {
      signIn = {SRP_A, srp: verifier(name, "dora", password)};
      return {ChallengeName: "PASSWORD_VERIFIER", ChallengeParameters: signIn.srp.challenge, Session: "session"};
    },
    RespondToAuthChallenge({ChallengeResponses}) {
      if (!signIn.srp.accepts(signIn.SRP_A, ChallengeResponses)) throw ["NotAuthorizedException", "Incorrect username or password."];
      return {AuthenticationResult: issue()};
    },
    GetTokensFromRefreshToken({RefreshToken}) {
      if (!pool.valid.has(RefreshToken)) throw ["NotAuthorizedException", "Refresh Token has been revoked"];
      if (!pool.rotates) return {AuthenticationResult: {AccessToken: accessToken("dora", pool.ahead)}};
      pool.valid.delete(RefreshToken);
      return {AuthenticationResult: issue()};
    },
    RevokeToken({Token}) {
      pool.valid.delete(Token);
      return {};
    },
  };
  const pool = {
    /** The refresh tokens that work. */
    valid: new Set<string>(),
    rotates: false,
    /** Milliseconds by which the clock of the server is ahead of that of the device. */
    ahead: 0,
    /** The actions of all requests. */
    requests: [] as string[],
    /** Everything that was sent. */
    sent: "",
    /** An answer to all requests, in place of that of the pool. */
    fault: undefined as {status: number; body: string} | undefined,
    /** What happens while the next answer is on its way. */
    meanwhile: undefined as (() => unknown) | undefined,
  };
  const answer = (action: string, body: string) => {
    try {
      return {body: JSON.stringify(actions[action]!(JSON.parse(body)))};
    } catch (error) {
      const [__type, message] = error as string[];
      return {status: 400, body: JSON.stringify({__type, message})};
    }
  };
  const {url, stop} = await serve(async (_, body, target) => {
    const action = target.replace("AWSCognitoIdentityProviderService.", "");
    pool.requests.push(action);
    pool.sent += body;
    const answered = pool.fault ?? answer(action, body);
    const {meanwhile} = pool;
    pool.meanwhile = undefined;
    await meanwhile?.();
    return answered;
  });
  return Object.assign(pool, {options: {userPoolId: `eu-west-1_${name}`, clientId: "app", endpoint: url}, password, stop});
}
