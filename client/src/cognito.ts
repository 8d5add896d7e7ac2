/** Signing in with the Amazon Cognito user pool of a deployed stack. */

import {RenewedSession, claims, inMemory, type Store} from "./session.js";
import {srp, type PasswordVerifier} from "./srp.js";

/** A refusal by Cognito. `code` is Cognito's own, such as `NotAuthorizedException`. */
export class CognitoError extends Error {
  override readonly name = "CognitoError";

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface CognitoOptions {
  /** The stack's output `UserPoolId`. It begins with the region. */
  userPoolId: string;
  /** The stack's output `UserPoolClientId`. */
  clientId: string;
  /** The URL of a mock or a proxy in the place of Cognito. */
  endpoint?: string;
  /** Keeps the refresh token. By default, it ends with the page. */
  store?: Store;
}

/** The accounts of a user pool. */
export class Cognito {
  readonly #pool: Pool;

  constructor(options: CognitoOptions) {
    this.#pool = new Pool(options);
  }

  /**
   * Creates an account, to which Cognito sends a code for `confirmSignUp`. Returns the masked address. A name that the stack
   * refuses is a `UserLambdaValidationException`, whose message is for the user.
   */
  signUp(username: string, password: string, email: string): Promise<string | undefined> {
    const UserAttributes = [{Name: "email", Value: email}];
    return this.#pool.deliver("SignUp", {Username: username, Password: password, UserAttributes});
  }

  /** Confirms an account with the code of the e-mail. */
  async confirmSignUp(username: string, code: string): Promise<void> {
    await this.#pool.callAsClient("ConfirmSignUp", {Username: username, ConfirmationCode: code});
  }

  /** Sends the code of `signUp` again. Returns the masked address. */
  resendCode(username: string): Promise<string | undefined> {
    return this.#pool.deliver("ResendConfirmationCode", {Username: username});
  }

  /** Sends a code for `confirmForgotPassword`. Returns a masked address even if there is no such user. */
  forgotPassword(username: string): Promise<string | undefined> {
    return this.#pool.deliver("ForgotPassword", {Username: username});
  }

  /** Sets a new password with the code of the e-mail. */
  async confirmForgotPassword(username: string, code: string, password: string): Promise<void> {
    await this.#pool.callAsClient("ConfirmForgotPassword", {Username: username, ConfirmationCode: code, Password: password});
  }

  /** Signs in. Cognito may ask for more than the password, by a challenge. */
  async signIn(username: string, password: string): Promise<CognitoSession | Challenge> {
    const {SRP_A, claim} = srp(this.#pool.name);
    const {ChallengeParameters, Session} = await this.#pool.callAsClient<Step>("InitiateAuth", {
      AuthFlow: "USER_SRP_AUTH",
      AuthParameters: {USERNAME: username, SRP_A},
    });
    const ChallengeResponses = await claim(ChallengeParameters as PasswordVerifier, password);
    return this.#pool.respond({ChallengeName: "PASSWORD_VERIFIER", Session, ChallengeResponses});
  }

  /** Returns the session of the store, such as after a reload, or null if nobody is signed in. */
  restore(): CognitoSession | null {
    const saved = this.#pool.saved();
    return saved && new CognitoSession(this.#pool, saved.username);
  }
}

/** The name of the answer to each challenge. */
const ANSWERS = {
  SOFTWARE_TOKEN_MFA: "SOFTWARE_TOKEN_MFA_CODE",
  SMS_MFA: "SMS_MFA_CODE",
  NEW_PASSWORD_REQUIRED: "NEW_PASSWORD",
  MFA_SETUP: undefined,
};

/** A question after the password. It can be answered again after a wrong code. */
export class Challenge {
  readonly #pool: Pool;
  readonly #username: string;
  readonly #session: string | undefined;

  /** @internal */
  constructor(
    pool: Pool,
    username: string,
    session: string | undefined,
    /**
     * What is asked for: a code of an authenticator app, a code of a text message, a new password in the place of that of an
     * administrator, or the first code of an authenticator app that has been given `secret`.
     */
    readonly name: keyof typeof ANSWERS,
    /** The secret for the authenticator app, if `name` is `MFA_SETUP`. */
    readonly secret?: string,
  ) {
    this.#pool = pool;
    this.#username = username;
    this.#session = session;
  }

  /** Answers with the code or the new password. */
  async respond(answer: string): Promise<CognitoSession | Challenge> {
    const ChallengeResponses: Record<string, string> = {USERNAME: this.#username};
    let Session = this.#session;
    const field = ANSWERS[this.name];
    if (field) ChallengeResponses[field] = answer;
    else ({Session} = await this.#pool.call<Step>("VerifySoftwareToken", {Session, UserCode: answer}));
    return this.#pool.respond({ChallengeName: this.name, Session, ChallengeResponses});
  }
}

/** The errors after which a refresh token is of no more use. */
const ENDS = ["NotAuthorizedException", "RefreshTokenReuseException", "UserNotFoundException"];

/** A user who is signed in to a user pool. */
export class CognitoSession extends RenewedSession {
  readonly #pool: Pool;

  /** @internal */
  constructor(pool: Pool, username: string, token?: string) {
    super(username);
    this.#pool = pool;
    if (token) this.keep(token);
  }

  /**
   * Throws a `NotAuthorizedException` if the session has ended: the user has signed out, or the refresh token has expired
   * or was revoked.
   *
   * Unlike InitiateAuth, GetTokensFromRefreshToken also works if the client of the pool rotates refresh tokens.
   */
  protected async fetchToken(): Promise<string> {
    const ended = (cause?: unknown) =>
      new CognitoError("NotAuthorizedException", `The session of ${this.username} has ended. Sign in again.`, {cause});
    const saved = this.#pool.saved();
    if (saved?.username !== this.username) throw ended();
    const isSaved = () => this.#pool.saved()?.refreshToken === saved.refreshToken;

    const answer = await this.#pool
      .callAsClient<Required<Step>>("GetTokensFromRefreshToken", {RefreshToken: saved.refreshToken})
      .catch((error: unknown) => {
        if (!(error instanceof CognitoError && ENDS.includes(error.code))) throw error;
        if (!isSaved()) return undefined;
        this.#pool.save(null);
        throw ended(error);
      });
    // Meanwhile the user has signed out, or another window has rotated the refresh token.
    if (!answer || !isSaved()) return this.fetchToken();
    const {AccessToken, RefreshToken} = answer.AuthenticationResult;
    if (RefreshToken) this.#pool.save({username: this.username, refreshToken: RefreshToken});
    return AccessToken;
  }

  /**
   * Forgets the tokens, and then revokes the refresh token, which fails without a network. The API accepts the last access
   * token until it expires, after an hour at most.
   */
  async signOut(): Promise<void> {
    this.forget();
    const saved = this.#pool.saved();
    if (saved?.username !== this.username) return;
    this.#pool.save(null);
    await this.#pool.callAsClient("RevokeToken", {Token: saved.refreshToken});
  }

  /** Returns a secret for an authenticator app, to be confirmed with a code of the app. */
  async startTotp(): Promise<string> {
    const {SecretCode} = await this.#pool.call<Secret>("AssociateSoftwareToken", {AccessToken: await this.token()});
    return SecretCode;
  }

  /** From now on, signing in needs a code of the authenticator app. `code` is the first one. */
  async confirmTotp(code: string): Promise<void> {
    await this.#pool.call("VerifySoftwareToken", {AccessToken: await this.token(), UserCode: code});
    await this.#setTotp(true);
  }

  /** From now on, signing in needs the password alone. */
  stopTotp(): Promise<void> {
    return this.#setTotp(false);
  }

  async #setTotp(Enabled: boolean): Promise<void> {
    const SoftwareTokenMfaSettings = {Enabled, PreferredMfa: Enabled};
    await this.#pool.call("SetUserMFAPreference", {AccessToken: await this.token(), SoftwareTokenMfaSettings});
  }
}

/** The answer of Cognito to a step of a sign-in. */
interface Step {
  ChallengeName?: string;
  ChallengeParameters?: Record<string, string>;
  Session?: string;
  AuthenticationResult?: {AccessToken: string; RefreshToken?: string};
}

interface Secret {
  SecretCode: string;
  Session?: string;
}

interface Saved {
  username: string;
  refreshToken: string;
}

/** The requests to Cognito, and what is stored. */
class Pool {
  /** The name of the pool, which is a part of the hash of each password. */
  readonly name: string;
  readonly #clientId: string;
  readonly #endpoint: string;
  readonly #store: Store;
  readonly #key: string;

  constructor({userPoolId, clientId, endpoint, store}: CognitoOptions) {
    const [region, name] = userPoolId.split("_");
    if (!name) throw new Error(`${userPoolId} is no id of a user pool, such as eu-west-1_AbCdEfGhI`);
    this.name = name;
    this.#clientId = clientId;
    this.#endpoint = endpoint ?? `https://cognito-idp.${region}.amazonaws.com/`;
    this.#store = store ?? inMemory();
    this.#key = `quick-photos.${clientId}`;
  }

  saved(): Saved | null {
    return JSON.parse(this.#store.getItem(this.#key) ?? "null");
  }

  save(saved: Saved | null): void {
    if (saved) this.#store.setItem(this.#key, JSON.stringify(saved));
    else this.#store.removeItem(this.#key);
  }

  /** Sends a request. Nothing is signed: the client of the pool has no secret. */
  async call<Output>(action: string, input: object): Promise<Output> {
    const answer = await fetch(this.#endpoint, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": `AWSCognitoIdentityProviderService.${action}`,
      },
      body: JSON.stringify(input),
    });
    const output = await answer.json().catch(() => ({}));
    if (answer.ok) return output;
    // Cognito wraps the words of the function that refuses names.
    const message = output.message?.replace(/^PreSignUp failed with error (.*)\.$/s, "$1");
    throw new CognitoError(output.__type?.split("#").pop() ?? `HTTP ${answer.status}`, message ?? "Cognito has failed");
  }

  /** Sends a request in the name of the client of the pool. */
  callAsClient<Output>(action: string, input: object): Promise<Output> {
    return this.call(action, {ClientId: this.#clientId, ...input});
  }

  /** Sends a request after which Cognito sends a code. Returns the masked address. */
  async deliver(action: string, input: object): Promise<string | undefined> {
    const {CodeDeliveryDetails} = await this.callAsClient<{CodeDeliveryDetails?: {Destination: string}}>(action, input);
    return CodeDeliveryDetails?.Destination;
  }

  /** Answers a challenge. */
  async respond(input: {ChallengeName: string; Session: string | undefined; ChallengeResponses: Record<string, string>}) {
    const {AuthenticationResult, ChallengeName, Session} = await this.callAsClient<Step>("RespondToAuthChallenge", input);
    if (AuthenticationResult?.RefreshToken) {
      const {AccessToken, RefreshToken} = AuthenticationResult;
      const {username} = claims(AccessToken);
      this.save({username, refreshToken: RefreshToken});
      return new CognitoSession(this, username, AccessToken);
    }
    const {USERNAME} = input.ChallengeResponses;
    if (!isKnown(ChallengeName)) throw new Error(`The client cannot answer the challenge ${ChallengeName} of Cognito`);
    if (ChallengeName !== "MFA_SETUP") return new Challenge(this, USERNAME!, Session, ChallengeName);
    const setup = await this.call<Secret>("AssociateSoftwareToken", {Session});
    return new Challenge(this, USERNAME!, setup.Session, ChallengeName, setup.SecretCode);
  }
}

const isKnown = (name?: string): name is keyof typeof ANSWERS => name !== undefined && name in ANSWERS;
