import assert from "node:assert/strict";
import {spawn, type ChildProcess} from "node:child_process";
import {createHmac} from "node:crypto";
import {after, afterEach, before, beforeEach, describe, mock, test} from "node:test";

import {Challenge, Cognito, CognitoError, CognitoSession} from "../src/cognito.js";
import {inMemory} from "../src/session.js";
import {userPool} from "./pool.js";

const PASSWORD = "Harbour-Street-12";
const refusal = (code: string) => (error: unknown) => error instanceof CognitoError && error.code === code;

/** Returns the session of a sign-in, or fails if Cognito asks for more. */
function signedIn(result: CognitoSession | Challenge): CognitoSession {
  assert.ok(result instanceof CognitoSession, `a challenge: ${(result as Challenge).name}`);
  return result;
}

function challenged(result: CognitoSession | Challenge, name: string): Challenge {
  assert.ok(result instanceof Challenge);
  assert.equal(result.name, name);
  return result;
}

/** A store that shows all that it keeps. */
function visible() {
  const store = inMemory();
  const kept = new Map<string, string>();
  return Object.assign(store, {
    kept,
    setItem: mock.fn((key: string, value: string) => void kept.set(key, value)),
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => void kept.delete(key),
  });
}

describe("a user pool", () => {
  let pool: Awaited<ReturnType<typeof userPool>>;
  let store: ReturnType<typeof visible>;
  let cognito: Cognito;
  const signIn = async () => signedIn(await cognito.signIn("Dora", PASSWORD));
  const renewals = () => pool.requests.filter((action) => action === "GetTokensFromRefreshToken").length;

  beforeEach(async () => {
    mock.timers.enable({apis: ["Date"], now: Date.now()});
    pool = await userPool();
    store = visible();
    cognito = new Cognito({...pool.options, store});
  });
  afterEach(() => {
    pool.stop();
    mock.timers.reset();
  });

  test("accepts the right password alone, and does not get to see it", async () => {
    const session = await signIn();
    assert.equal(session.username, "dora");
    assert.equal(renewals(), 0);
    await assert.rejects(cognito.signIn("dora", PASSWORD + "3"), refusal("NotAuthorizedException"));
    assert.ok(!pool.sent.includes(PASSWORD));
  });

  test("ten callers renew a token once, a minute before its end", async () => {
    const session = await signIn();
    const first = await session.token();
    mock.timers.tick(59 * 60_000 - 1);
    assert.equal(await session.token(), first);
    mock.timers.tick(1);
    const tokens = await Promise.all(Array.from({length: 10}, () => session.token()));
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], first);
    assert.equal(renewals(), 1);
  });

  test("the clock of the device may be wrong by a day", async () => {
    for (pool.ahead of [-86_400_000, 86_400_000]) {
      const session = await signIn();
      const first = await session.token();
      assert.equal(await session.token(), first);
      mock.timers.tick(59 * 60_000);
      assert.notEqual(await session.token(), first);
    }
  });

  test("a token that the API refuses is replaced once", async () => {
    const session = await signIn();
    const first = await session.token();
    const tokens = await Promise.all([session.token(first), session.token(first), session.token()]);
    assert.equal(await session.token(first), tokens[0]);
    assert.equal(tokens[0], tokens[1]);
    assert.equal(renewals(), 1);
  });

  test("a session survives a reload", async () => {
    assert.equal(cognito.restore(), null);
    await signIn();
    const session = new Cognito({...pool.options, store}).restore();
    assert.equal(session?.username, "dora");
    assert.ok(await session?.token());
    assert.equal(new Cognito(pool.options).restore(), null);
  });

  test("a rotated refresh token takes the place of the old one, in all windows", async () => {
    pool.rotates = true;
    const session = await signIn();
    const other = cognito.restore()!;
    for (let renewal = 0; renewal < 3; renewal++) {
      await session.token(await session.token());
      await other.token(await other.token());
    }
    assert.equal(pool.valid.size, 1);
    assert.ok([...store.kept.values()].join().includes([...pool.valid].join()));
  });

  test("a refresh token that another window has rotated first ends nothing", async () => {
    pool.rotates = true;
    const session = await signIn();
    const other = cognito.restore()!;
    await Promise.all([session.token(await session.token()), other.token()]);
    assert.equal(cognito.restore()?.username, "dora");
    assert.ok(await session.token(await session.token()));
  });

  test("a revoked refresh token signs out, and says so", async () => {
    const session = await signIn();
    pool.valid.clear();
    await assert.rejects(session.token(await session.token()), (error: CognitoError) => {
      assert.equal(error.code, "NotAuthorizedException");
      assert.equal(error.message, "The session of dora has ended. Sign in again.");
      assert.match((error.cause as CognitoError).message, /revoked/);
      return true;
    });
    assert.equal(store.kept.size, 0);
    assert.equal(cognito.restore(), null);
  });

  test("a failure of Cognito or of the network ends nothing", async () => {
    const session = await signIn();
    const first = await session.token();
    pool.fault = {status: 503, body: "<html>"};
    await assert.rejects(session.token(first), refusal("HTTP 503"));
    pool.fault = {status: 400, body: `{"__type": "com.amazonaws#TooManyRequestsException", "message": "Rate exceeded"}`};
    await assert.rejects(session.token(first), refusal("TooManyRequestsException"));
    pool.fault = undefined;
    assert.notEqual(await session.token(first), first);
  });

  test("signing out leaves nothing in the store, revokes, and ends the session", async () => {
    const session = await signIn();
    await session.signOut();
    assert.equal(store.kept.size, 0);
    assert.equal(pool.valid.size, 0);
    await assert.rejects(session.token(), refusal("NotAuthorizedException"));
    await session.signOut();
    assert.equal(pool.requests.at(-1), "RevokeToken");
    assert.equal(pool.requests.filter((action) => action === "RevokeToken").length, 1);
  });

  test("signing out without a network leaves nothing in the store", async () => {
    const session = await signIn();
    pool.stop();
    await assert.rejects(session.signOut());
    assert.equal(store.kept.size, 0);
    await assert.rejects(session.token(), refusal("NotAuthorizedException"));
  });

  test("signing out during a renewal leaves nothing in the store", async () => {
    for (pool.rotates of [false, true]) {
      const session = await signIn();
      const first = await session.token();
      pool.meanwhile = () => session.signOut();
      await assert.rejects(session.token(first), refusal("NotAuthorizedException"));
      assert.equal(store.kept.size, 0);
      await assert.rejects(session.token(), refusal("NotAuthorizedException"));
    }
  });

  test("a session does not use the refresh token of another user", async () => {
    const session = await signIn();
    const [key] = store.kept.keys();
    const bobs = JSON.stringify({username: "bob", refreshToken: "of bob"});
    store.setItem(key!, bobs);
    await assert.rejects(session.token(await session.token()), refusal("NotAuthorizedException"));
    await session.signOut();
    assert.equal(store.getItem(key!), bobs);
  });

  test("the password and the access token are never stored", async () => {
    const session = await signIn();
    const stored = store.setItem.mock.calls.map(({arguments: [, value]}) => value).join();
    assert.ok(!stored.includes(PASSWORD) && !stored.includes(await session.token()));
  });

  test("a refused name is explained in the words of the stack", async () => {
    const message = "PreSignUp failed with error The username ada is taken. Choose another one..";
    pool.fault = {status: 400, body: JSON.stringify({__type: "UserLambdaValidationException", message})};
    await assert.rejects(cognito.signUp("ada", PASSWORD, "ada@example.com"), {
      code: "UserLambdaValidationException",
      message: "The username ada is taken. Choose another one.",
    });
  });

  test("an unknown challenge is an error", async () => {
    const body = `{"ChallengeName": "EMAIL_OTP", "Session": "session"}`;
    pool.meanwhile = () => (pool.fault = {status: 200, body});
    await assert.rejects(signIn(), /cannot answer the challenge EMAIL_OTP/);
  });

  test("an id without a region is refused", () => {
    assert.throws(() => new Cognito({userPoolId: "AbCdEfGhI", clientId: "app"}), /no id of a user pool/);
  });
});

const python = process.env["QUICK_PHOTOS_PYTHON"];

describe("moto", {skip: !python && "set QUICK_PHOTOS_PYTHON to a Python with moto[server]"}, () => {
  let moto: ChildProcess;
  let endpoint: string;
  const store = visible();

  /** Sends a request of an administrator. */
  const administer = async (action: string, input: object) => {
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: {
        "X-Amz-Target": `AWSCognitoIdentityProviderService.${action}`,
        Authorization: "AWS4-HMAC-SHA256 Credential=a/20261127/eu-west-1/cognito-idp/aws4_request, SignedHeaders=host, Signature=b",
      },
      body: JSON.stringify(input),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json().catch(() => ({})) as any;
  };

  /** Makes a user pool as template.yaml does. */
  const makePool = async (MfaConfiguration: "OPTIONAL" | "ON") => {
    const {UserPool} = await administer("CreateUserPool", {
      PoolName: "quick-photos",
      AutoVerifiedAttributes: ["email"],
      AccountRecoverySetting: {RecoveryMechanisms: [{Name: "verified_email", Priority: 1}]},
      Policies: {PasswordPolicy: {MinimumLength: 12, RequireLowercase: true, RequireUppercase: true, RequireNumbers: true}},
    });
    const UserPoolId = UserPool.Id;
    await administer("SetUserPoolMfaConfig", {UserPoolId, MfaConfiguration, SoftwareTokenMfaConfiguration: {Enabled: true}});
    const ExplicitAuthFlows = ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"];
    const {UserPoolClient} = await administer("CreateUserPoolClient", {UserPoolId, ClientName: "app", ExplicitAuthFlows});
    return {UserPoolId, cognito: new Cognito({userPoolId: UserPoolId, clientId: UserPoolClient.ClientId, endpoint, store})};
  };

  before(async () => {
    // It ends with its input, however the test ends.
    const program = `import sys; from moto.server import ThreadedMotoServer as S; s = S("127.0.0.1", 0, False); s.start()
print("http://%s:%s/" % s.get_host_and_port(), flush=True); sys.stdin.read(); s.stop()`;
    const env = {...process.env, MOTO_COGNITO_IDP_USER_POOL_ENABLE_TOTP: "true"};
    moto = spawn(python!, ["-c", program], {env, stdio: ["pipe", "pipe", "ignore"]});
    endpoint = await new Promise((found, failed) => {
      moto.stdout!.once("data", (line) => found(String(line).trim()));
      moto.once("exit", () => failed(new Error("moto did not start")));
    });
  });
  after(() => void moto.stdin!.end());

  test("signs up, confirms, resets the password, and turns TOTP on and off", async () => {
    const {UserPoolId, cognito} = await makePool("OPTIONAL");
    const preferred = async () => (await administer("AdminGetUser", {UserPoolId, Username: "dora"})).PreferredMfaSetting;
    await assert.rejects(cognito.signUp("dora", "short", "dora@example.com"), refusal("InvalidPasswordException"));
    assert.match((await cognito.signUp("dora", PASSWORD, "dora@example.com"))!, /^d\*+@e\*+/);
    await assert.rejects(cognito.signUp("dora", PASSWORD, "dora@example.com"), refusal("UsernameExistsException"));
    await assert.rejects(cognito.signIn("dora", PASSWORD), refusal("UserNotConfirmedException"));
    await cognito.confirmSignUp("dora", "123456");
    assert.match((await cognito.forgotPassword("dora"))!, /^d\*+@e\*+/);
    await assert.rejects(
      cognito.confirmForgotPassword("dora", "moto-confirmation-code:0", PASSWORD),
      refusal("ExpiredCodeException"),
    );
    await cognito.confirmForgotPassword("dora", "123456", PASSWORD + "3");

    const session = signedIn(await cognito.signIn("dora", PASSWORD + "3"));
    assert.equal(session.username, "dora");
    const secret = await session.startTotp();
    await assert.rejects(session.confirmTotp("000000"), refusal("CodeMismatchException"));
    await session.confirmTotp(totp(secret));
    assert.equal(await preferred(), "SOFTWARE_TOKEN_MFA");
    const challenge = challenged(await cognito.signIn("dora", PASSWORD + "3"), "SOFTWARE_TOKEN_MFA");
    await assert.rejects(challenge.respond("000000"), refusal("CodeMismatchException"));
    await signedIn(await challenge.respond(totp(secret))).stopTotp();
    assert.equal(await preferred(), "");
  });

  test("a user of an administrator chooses a password, and an authenticator app where the pool wants one", async () => {
    const {UserPoolId, cognito} = await makePool("ON");
    await administer("AdminCreateUser", {UserPoolId, Username: "dora", TemporaryPassword: PASSWORD});
    const password = challenged(await cognito.signIn("dora", PASSWORD), "NEW_PASSWORD_REQUIRED");
    await assert.rejects(password.respond("short"), refusal("InvalidPasswordException"));
    const setup = challenged(await password.respond(PASSWORD + "3"), "MFA_SETUP");
    await assert.rejects(setup.respond("000000"), refusal("CodeMismatchException"));
    assert.equal(signedIn(await setup.respond(totp(setup.secret!))).username, "dora");
    const challenge = challenged(await cognito.signIn("dora", PASSWORD + "3"), "SOFTWARE_TOKEN_MFA");
    assert.ok(await signedIn(await challenge.respond(totp(setup.secret!))).token());
  });
});

/** Returns the code that an authenticator app shows now (RFC 6238). */
function totp(secret: string): string {
  const bits = [...secret.toUpperCase()].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0")).join("");
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac("sha1", Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)))).update(counter).digest();
  return String((hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
