// node_modules/openapi-fetch/dist/index.mjs
var PATH_PARAM_RE = /\{[^{}]+\}/g;
var supportsRequestInitExt = () => {
  return typeof process === "object" && Number.parseInt(process?.versions?.node?.substring(0, 2)) >= 18 && process.versions.undici;
};
function randomID() {
  return Math.random().toString(36).slice(2, 11);
}
function createClient(clientOptions) {
  let {
    baseUrl = "",
    Request: CustomRequest = globalThis.Request,
    fetch: baseFetch = globalThis.fetch,
    querySerializer: globalQuerySerializer,
    bodySerializer: globalBodySerializer,
    pathSerializer: globalPathSerializer,
    headers: baseHeaders,
    requestInitExt = void 0,
    ...baseOptions
  } = { ...clientOptions };
  requestInitExt = supportsRequestInitExt() ? requestInitExt : void 0;
  baseUrl = removeTrailingSlash(baseUrl);
  const globalMiddlewares = [];
  async function coreFetch(schemaPath, fetchOptions) {
    const {
      baseUrl: localBaseUrl,
      fetch: fetch2 = baseFetch,
      Request = CustomRequest,
      headers,
      params = {},
      parseAs = "json",
      querySerializer: requestQuerySerializer,
      bodySerializer = globalBodySerializer ?? defaultBodySerializer,
      pathSerializer: requestPathSerializer,
      body,
      middleware: requestMiddlewares = [],
      ...init
    } = fetchOptions || {};
    let finalBaseUrl = baseUrl;
    if (localBaseUrl) {
      finalBaseUrl = removeTrailingSlash(localBaseUrl) ?? baseUrl;
    }
    let querySerializer = typeof globalQuerySerializer === "function" ? globalQuerySerializer : createQuerySerializer(globalQuerySerializer);
    if (requestQuerySerializer) {
      querySerializer = typeof requestQuerySerializer === "function" ? requestQuerySerializer : createQuerySerializer({
        ...typeof globalQuerySerializer === "object" ? globalQuerySerializer : {},
        ...requestQuerySerializer
      });
    }
    const pathSerializer = requestPathSerializer || globalPathSerializer || defaultPathSerializer;
    const serializedBody = body === void 0 ? void 0 : bodySerializer(
      body,
      // Note: we declare mergeHeaders() both here and below because it’s a bit of a chicken-or-egg situation:
      // bodySerializer() needs all headers so we aren’t dropping ones set by the user, however,
      // the result of this ALSO sets the lowest-priority content-type header. So we re-merge below,
      // setting the content-type at the very beginning to be overwritten.
      // Lastly, based on the way headers work, it’s not a simple “present-or-not” check becauase null intentionally un-sets headers.
      mergeHeaders(baseHeaders, headers, params.header)
    );
    const finalHeaders = mergeHeaders(
      // with no body, we should not to set Content-Type
      serializedBody === void 0 || // if serialized body is FormData; browser will correctly set Content-Type & boundary expression
      serializedBody instanceof FormData ? {} : {
        "Content-Type": "application/json"
      },
      baseHeaders,
      headers,
      params.header
    );
    const finalMiddlewares = [...globalMiddlewares, ...requestMiddlewares];
    const requestInit = {
      redirect: "follow",
      ...baseOptions,
      ...init,
      body: serializedBody,
      headers: finalHeaders
    };
    let id;
    let options;
    let request = new Request(
      createFinalURL(schemaPath, { baseUrl: finalBaseUrl, params, querySerializer, pathSerializer }),
      requestInit
    );
    let response;
    for (const key in init) {
      if (!(key in request)) {
        request[key] = init[key];
      }
    }
    if (finalMiddlewares.length) {
      id = randomID();
      options = Object.freeze({
        baseUrl: finalBaseUrl,
        fetch: fetch2,
        parseAs,
        querySerializer,
        bodySerializer,
        pathSerializer
      });
      for (const m of finalMiddlewares) {
        if (m && typeof m === "object" && typeof m.onRequest === "function") {
          const result = await m.onRequest({
            request,
            schemaPath,
            params,
            options,
            id
          });
          if (result) {
            if (result instanceof Request) {
              request = result;
            } else if (result instanceof Response) {
              response = result;
              break;
            } else {
              throw new Error("onRequest: must return new Request() or Response() when modifying the request");
            }
          }
        }
      }
    }
    if (!response) {
      try {
        response = await fetch2(request, requestInitExt);
      } catch (error2) {
        let errorAfterMiddleware = error2;
        if (finalMiddlewares.length) {
          for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
            const m = finalMiddlewares[i];
            if (m && typeof m === "object" && typeof m.onError === "function") {
              const result = await m.onError({
                request,
                error: errorAfterMiddleware,
                schemaPath,
                params,
                options,
                id
              });
              if (result) {
                if (result instanceof Response) {
                  errorAfterMiddleware = void 0;
                  response = result;
                  break;
                }
                if (result instanceof Error) {
                  errorAfterMiddleware = result;
                  continue;
                }
                throw new Error("onError: must return new Response() or instance of Error");
              }
            }
          }
        }
        if (errorAfterMiddleware) {
          throw errorAfterMiddleware;
        }
      }
      if (finalMiddlewares.length) {
        for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
          const m = finalMiddlewares[i];
          if (m && typeof m === "object" && typeof m.onResponse === "function") {
            const result = await m.onResponse({
              request,
              response,
              schemaPath,
              params,
              options,
              id
            });
            if (result) {
              if (!(result instanceof Response)) {
                throw new Error("onResponse: must return new Response() when modifying the response");
              }
              response = result;
            }
          }
        }
      }
    }
    const contentLength = response.headers.get("Content-Length");
    if (response.status === 204 || request.method === "HEAD" || contentLength === "0" && !response.headers.get("Transfer-Encoding")?.includes("chunked")) {
      return response.ok ? { data: void 0, response } : { error: void 0, response };
    }
    if (response.ok) {
      const getResponseData = async () => {
        if (parseAs === "stream") {
          return response.body;
        }
        if (parseAs === "json" && !contentLength) {
          const raw = await response.text();
          return raw ? JSON.parse(raw) : void 0;
        }
        return await response[parseAs]();
      };
      return { data: await getResponseData(), response };
    }
    let error = await response.text();
    try {
      error = JSON.parse(error);
    } catch {
    }
    return { error, response };
  }
  return {
    request(method, url, init) {
      return coreFetch(url, { ...init, method: method.toUpperCase() });
    },
    /** Call a GET endpoint */
    GET(url, init) {
      return coreFetch(url, { ...init, method: "GET" });
    },
    /** Call a PUT endpoint */
    PUT(url, init) {
      return coreFetch(url, { ...init, method: "PUT" });
    },
    /** Call a POST endpoint */
    POST(url, init) {
      return coreFetch(url, { ...init, method: "POST" });
    },
    /** Call a DELETE endpoint */
    DELETE(url, init) {
      return coreFetch(url, { ...init, method: "DELETE" });
    },
    /** Call a OPTIONS endpoint */
    OPTIONS(url, init) {
      return coreFetch(url, { ...init, method: "OPTIONS" });
    },
    /** Call a HEAD endpoint */
    HEAD(url, init) {
      return coreFetch(url, { ...init, method: "HEAD" });
    },
    /** Call a PATCH endpoint */
    PATCH(url, init) {
      return coreFetch(url, { ...init, method: "PATCH" });
    },
    /** Call a TRACE endpoint */
    TRACE(url, init) {
      return coreFetch(url, { ...init, method: "TRACE" });
    },
    /** Register middleware */
    use(...middleware) {
      for (const m of middleware) {
        if (!m) {
          continue;
        }
        if (typeof m !== "object" || !("onRequest" in m || "onResponse" in m || "onError" in m)) {
          throw new Error("Middleware must be an object with one of `onRequest()`, `onResponse() or `onError()`");
        }
        globalMiddlewares.push(m);
      }
    },
    /** Unregister middleware */
    eject(...middleware) {
      for (const m of middleware) {
        const i = globalMiddlewares.indexOf(m);
        if (i !== -1) {
          globalMiddlewares.splice(i, 1);
        }
      }
    }
  };
}
function serializePrimitiveParam(name, value, options) {
  if (value === void 0 || value === null) {
    return "";
  }
  if (typeof value === "object") {
    throw new Error(
      "Deeply-nested arrays/objects aren\u2019t supported. Provide your own `querySerializer()` to handle these."
    );
  }
  return `${name}=${options?.allowReserved === true ? value : encodeURIComponent(value)}`;
}
function serializeObjectParam(name, value, options) {
  if (!value || typeof value !== "object") {
    return "";
  }
  const values = [];
  const joiner = {
    simple: ",",
    label: ".",
    matrix: ";"
  }[options.style] || "&";
  if (options.style !== "deepObject" && options.explode === false) {
    for (const k in value) {
      values.push(k, options.allowReserved === true ? value[k] : encodeURIComponent(value[k]));
    }
    const final2 = values.join(",");
    switch (options.style) {
      case "form": {
        return `${name}=${final2}`;
      }
      case "label": {
        return `.${final2}`;
      }
      case "matrix": {
        return `;${name}=${final2}`;
      }
      default: {
        return final2;
      }
    }
  }
  for (const k in value) {
    const finalName = options.style === "deepObject" ? `${name}[${k}]` : k;
    values.push(serializePrimitiveParam(finalName, value[k], options));
  }
  const final = values.join(joiner);
  return options.style === "label" || options.style === "matrix" ? `${joiner}${final}` : final;
}
function serializeArrayParam(name, value, options) {
  if (!Array.isArray(value)) {
    return "";
  }
  if (options.explode === false) {
    const joiner2 = { form: ",", spaceDelimited: "%20", pipeDelimited: "|" }[options.style] || ",";
    const final = (options.allowReserved === true ? value : value.map((v) => encodeURIComponent(v))).join(joiner2);
    switch (options.style) {
      case "simple": {
        return final;
      }
      case "label": {
        return `.${final}`;
      }
      case "matrix": {
        return `;${name}=${final}`;
      }
      // case "spaceDelimited":
      // case "pipeDelimited":
      default: {
        return `${name}=${final}`;
      }
    }
  }
  const joiner = { simple: ",", label: ".", matrix: ";" }[options.style] || "&";
  const values = [];
  for (const v of value) {
    if (options.style === "simple" || options.style === "label") {
      values.push(options.allowReserved === true ? v : encodeURIComponent(v));
    } else {
      values.push(serializePrimitiveParam(name, v, options));
    }
  }
  return options.style === "label" || options.style === "matrix" ? `${joiner}${values.join(joiner)}` : values.join(joiner);
}
function createQuerySerializer(options) {
  return function querySerializer(queryParams) {
    const search = [];
    if (queryParams && typeof queryParams === "object") {
      for (const name in queryParams) {
        const value = queryParams[name];
        if (value === void 0 || value === null) {
          continue;
        }
        if (Array.isArray(value)) {
          if (value.length === 0) {
            continue;
          }
          search.push(
            serializeArrayParam(name, value, {
              style: "form",
              explode: true,
              ...options?.array,
              allowReserved: options?.allowReserved || false
            })
          );
          continue;
        }
        if (typeof value === "object") {
          search.push(
            serializeObjectParam(name, value, {
              style: "deepObject",
              explode: true,
              ...options?.object,
              allowReserved: options?.allowReserved || false
            })
          );
          continue;
        }
        search.push(serializePrimitiveParam(name, value, options));
      }
    }
    return search.join("&");
  };
}
function defaultPathSerializer(pathname, pathParams) {
  let nextURL = pathname;
  for (const match of pathname.match(PATH_PARAM_RE) ?? []) {
    let name = match.substring(1, match.length - 1);
    let explode = false;
    let style = "simple";
    if (name.endsWith("*")) {
      explode = true;
      name = name.substring(0, name.length - 1);
    }
    if (name.startsWith(".")) {
      style = "label";
      name = name.substring(1);
    } else if (name.startsWith(";")) {
      style = "matrix";
      name = name.substring(1);
    }
    if (!pathParams || pathParams[name] === void 0 || pathParams[name] === null) {
      continue;
    }
    const value = pathParams[name];
    if (Array.isArray(value)) {
      nextURL = nextURL.replace(match, serializeArrayParam(name, value, { style, explode }));
      continue;
    }
    if (typeof value === "object") {
      nextURL = nextURL.replace(match, serializeObjectParam(name, value, { style, explode }));
      continue;
    }
    if (style === "matrix") {
      nextURL = nextURL.replace(match, `;${serializePrimitiveParam(name, value)}`);
      continue;
    }
    nextURL = nextURL.replace(match, style === "label" ? `.${encodeURIComponent(value)}` : encodeURIComponent(value));
  }
  return nextURL;
}
function defaultBodySerializer(body, headers) {
  if (body instanceof FormData) {
    return body;
  }
  if (headers) {
    const contentType = headers.get instanceof Function ? headers.get("Content-Type") ?? headers.get("content-type") : headers["Content-Type"] ?? headers["content-type"];
    if (contentType === "application/x-www-form-urlencoded") {
      return new URLSearchParams(body).toString();
    }
  }
  return JSON.stringify(body);
}
function createFinalURL(pathname, options) {
  let finalURL = `${options.baseUrl}${pathname}`;
  if (options.params?.path) {
    finalURL = options.pathSerializer(finalURL, options.params.path);
  }
  let search = options.querySerializer(options.params.query ?? {});
  if (search.startsWith("?")) {
    search = search.substring(1);
  }
  if (search) {
    finalURL += `?${search}`;
  }
  return finalURL;
}
function mergeHeaders(...allHeaders) {
  const finalHeaders = new Headers();
  for (const h of allHeaders) {
    if (!h || typeof h !== "object") {
      continue;
    }
    const iterator = h instanceof Headers ? h.entries() : Object.entries(h);
    for (const [k, v] of iterator) {
      if (v === null) {
        finalHeaders.delete(k);
      } else if (Array.isArray(v)) {
        for (const v2 of v) {
          finalHeaders.append(k, v2);
        }
      } else if (v !== void 0) {
        finalHeaders.set(k, v);
      }
    }
  }
  return finalHeaders;
}
function removeTrailingSlash(url) {
  if (url.endsWith("/")) {
    return url.substring(0, url.length - 1);
  }
  return url;
}

// dist/pages.js
var Pages = class {
  #read;
  #cursor;
  #people = {};
  /** `read` reads the page at a cursor. The first page has none. */
  constructor(read, cursor = "") {
    this.#read = read;
    this.#cursor = cursor;
  }
  /** Reads the next page. Throws what `read` throws; then the next call reads the same page. */
  async next() {
    if (this.#cursor === null)
      return { done: true, value: void 0 };
    const body = await this.#read(this.#cursor);
    const { nextCursor, people } = body;
    this.#cursor = nextCursor ?? null;
    this.#people = { ...this.#people, ...people };
    const entries = Object.values(body).find(Array.isArray);
    return { done: false, value: { body, entries, people: this.#people } };
  }
  /** Returns the entries of all pages, one after the other. */
  async *entries() {
    for await (const page of this)
      yield* page.entries;
  }
  [Symbol.asyncIterator]() {
    return this;
  }
};

// dist/problems.js
var PREFIX = "tag:quick-photos.example,2026:";
var Problem = class extends Error {
  status;
  title;
  detail;
  name = "Problem";
  /** The `type` of an answer of the API. API Gateway and S3 answer without it. */
  type;
  /** What the developer of the app has to know. */
  hint;
  /** The seconds after which the server wants the next attempt. */
  retryAfter;
  /** The fields that break their rules. */
  errors;
  /** `status` is that of the answer, or 0 if none came. */
  constructor(status, title, detail, more = {}) {
    super(detail || title, { cause: more.cause });
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.type = more.type;
    this.hint = more.hint;
    this.retryAfter = more.retryAfter;
    this.errors = more.errors ?? [];
  }
  /** Returns whether the problem is of this kind. */
  is(kind) {
    return this.type === PREFIX + kind;
  }
};
var content = (headers, text2) => headers.get("content-type")?.includes("json") && text2 ? JSON.parse(text2) : text2;
function problemOf(status, headers, text2) {
  const { title, message, detail, type, hint, errors } = Object(content(headers, text2));
  const retryAfter = Number(headers.get("retry-after")) || void 0;
  return new Problem(status, title ?? message ?? `Status ${status}`, detail, { type, hint, errors, retryAfter });
}

// dist/retries.js
var FIRST_PAUSE_MS = 200;
var RETRY_BUDGET_MS = 5e3;
var TRANSIENT = [0, 429, 502, 503, 504];
var sleep = (ms, signal) => new Promise((resolve, reject) => {
  const abort = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener("abort", abort);
    resolve();
  }, ms);
  if (signal?.aborted)
    abort();
  signal?.addEventListener("abort", abort, { once: true });
});
async function retried(attempt, signal, statuses = TRANSIENT) {
  const end = Date.now() + RETRY_BUDGET_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await attempt();
    } catch (problem) {
      if (!(problem instanceof Problem) || !statuses.includes(problem.status))
        throw problem;
      const wait = Math.max(pause * (0.5 + Math.random() / 2), (problem.retryAfter ?? 0) * 1e3);
      if (Date.now() + wait > end)
        throw problem;
      await sleep(wait, signal);
    }
  }
}

// dist/client.js
var ANSWER_TIMEOUT_MS = 35e3;
var QuickPhotos = class {
  session;
  #api;
  #fetch;
  /** Requests whose paths, parameters, bodies and answers the compiler checks. They throw what `request` throws. */
  GET;
  POST;
  PUT;
  PATCH;
  DELETE;
  /** `api` is the address of the API, without a slash at its end. `fetch` sends in the place of the platform's. */
  constructor({ api, session, fetch: fetch2 }) {
    this.#api = api;
    this.session = session;
    this.#fetch = fetch2 ?? ((...request) => globalThis.fetch(...request));
    const querySerializer = { array: { style: "form", explode: false } };
    const typed = createClient({
      baseUrl: api,
      querySerializer,
      fetch: async (request) => {
        const { method, url, headers, signal } = request;
        const { status, text: text2, headers: answered } = await this.#send(method, url, headers, await request.text(), signal);
        return new Response(text2 || null, { status, headers: answered });
      }
    });
    const { GET, POST, PUT, PATCH, DELETE } = typed;
    [this.GET, this.POST, this.PUT, this.PATCH, this.DELETE] = [GET, POST, PUT, PATCH, DELETE];
  }
  /**
   * Sends a request to a path such as `/users/me`. A token that is refused is renewed once. A request without a lasting answer
   * is repeated: a POST has an `Idempotency-Key` of its own, unless `headers` has one, so that nothing is created twice.
   * Throws a Problem, whose status is 0 if no answer came; what the session throws; and the reason of the signal.
   */
  async request(method, path, { body, headers, signal } = {}) {
    const all = new Headers(headers);
    if (body != null)
      all.set("Content-Type", "application/json");
    const answer = await this.#send(method, this.#api + path, all, body == null ? "" : JSON.stringify(body), signal);
    return { status: answer.status, body: content(answer.headers, answer.text), headers: answer.headers };
  }
  /** Returns the pages of a list. They are read as they are asked for, and throw what `request` throws. */
  pages(path, ...[init]) {
    const { params, ...others } = init ?? {};
    return new Pages(async (cursor) => {
      const query = { ...params?.query, ...cursor && { cursor } };
      const { data } = await this.GET(path, { ...others, params: { ...params, query } });
      return data;
    });
  }
  async #send(method, url, headers, body, signal) {
    if (method === "POST" && !headers.has("Idempotency-Key"))
      headers.set("Idempotency-Key", newKey());
    const exchange = async (refused) => {
      const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      try {
        const token = await this.session.token(refused);
        headers.set("Authorization", `Bearer ${token}`);
        const answer = await this.#fetch(url, { method, headers, body: body || null, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
        return { status: answer.status, headers: answer.headers, text: await answer.text(), token };
      } catch (cause) {
        if (!(cause instanceof TypeError || timeout.aborted))
          throw cause;
        throw new Problem(0, "No answer", "The server cannot be reached. Try again.", { cause });
      }
    };
    const isConditional = method !== "GET" && (headers.has("If-Match") || headers.has("If-None-Match"));
    return retried(async () => {
      let answer = await exchange();
      if (answer.status === 401)
        answer = await exchange(answer.token);
      if (answer.status < 300 || answer.status === 304)
        return answer;
      throw problemOf(answer.status, answer.headers, answer.text);
    }, signal, isConditional ? [429] : void 0);
  }
};
var newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// dist/session.js
function inMemory() {
  const values = /* @__PURE__ */ new Map();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key)
  };
}
var MARGIN_SECONDS = 60;
var RenewedSession = class {
  username;
  #token = "";
  #renewAt = 0;
  #renewal;
  constructor(username) {
    this.username = username;
  }
  /**
   * Keeps a token that has just been issued. Its end is as far from its receipt as `exp` is from `iat`, whatever the clock
   * of the device shows.
   */
  keep(token) {
    const { exp, iat } = claims(token);
    this.#token = token;
    this.#renewAt = Date.now() + (exp - iat - MARGIN_SECONDS) * 1e3;
    return token;
  }
  /** Forgets the token. */
  forget() {
    this.#token = "";
  }
  async token(refused) {
    if (this.#token && this.#token !== refused && Date.now() < this.#renewAt)
      return this.#token;
    this.#renewal ??= this.fetchToken().then((token) => this.keep(token)).finally(() => this.#renewal = void 0);
    return this.#renewal;
  }
};
function claims(token) {
  return JSON.parse(new TextDecoder().decode(fromBase64(token.split(".")[1] ?? "")));
}
function fromBase64(text2) {
  return Uint8Array.from(atob(text2.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

// dist/srp.js
var N = BigInt("0xffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3dc2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f83655d23dca3ad961c62f356208552bb9ed529077096966d670c354e4abc9804f1746c08ca18217c32905e462e36ce3be39e772c180e86039b2783a2ec07a28fb5c55df06f4c52c9de2bcbf6955817183995497cea956ae515d2261898fa051015728e5a8aaac42dad33170d04507a33a85521abdf1cba64ecfb850458dbef0a8aea71575d060c7db3970f85a6e1e4c7abf5ae8cdb0933d71e8c94e04a25619dcee3d2261ad2ee6bf12ffa06d98a0864d87602733ec86a64521f2b18177b200cbbe117577a615d6c770988c0bad946e208e24fa074e5ab3143db5bfce0fd108e4b82d120a93ad2caffffffffffffffff");
var g = 2n;
function srp(pool, a = number(crypto.getRandomValues(new Uint8Array(32)))) {
  const A = power(g, a);
  return {
    SRP_A: A.toString(16),
    /** Returns the answer to the challenge PASSWORD_VERIFIER. */
    async claim(challenge, password, now = /* @__PURE__ */ new Date()) {
      const { SALT, SRP_B, USER_ID_FOR_SRP, USERNAME, SECRET_BLOCK } = challenge;
      const B = BigInt("0x" + SRP_B);
      const k = await hash(bytes(N), bytes(g));
      const u = await hash(bytes(A), bytes(B));
      if (B % N === 0n || u === 0n)
        throw new Error("Cognito has sent an SRP value that would reveal the password");
      const x = await hash(bytes(BigInt("0x" + SALT)), await sha256(text(`${pool}${USER_ID_FOR_SRP}:${password}`)));
      const S = power(B - k * power(g, x), a + u * x);
      const TIMESTAMP = timestamp(now);
      const secret = await crypto.subtle.importKey("raw", bytes(S), "HKDF", false, ["deriveKey"]);
      const key = await crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: bytes(u), info: text("Caldera Derived Key") }, secret, { name: "HMAC", hash: "SHA-256", length: 128 }, false, ["sign"]);
      const message = join(text(pool + USER_ID_FOR_SRP), fromBase64(SECRET_BLOCK), text(TIMESTAMP));
      const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
      return {
        USERNAME,
        TIMESTAMP,
        PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK,
        PASSWORD_CLAIM_SIGNATURE: btoa(String.fromCharCode(...signature))
      };
    }
  };
}
function timestamp(now) {
  const [weekday, day, month, year, time] = now.toUTCString().split(/,? /);
  return `${weekday} ${month} ${Number(day)} ${time} UTC ${year}`;
}
function power(base, exponent) {
  let result = 1n;
  for (base = (base % N + N) % N; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n)
      result = result * base % N;
    base = base * base % N;
  }
  return result;
}
function bytes(value) {
  let hex = value.toString(16);
  if (hex.length % 2)
    hex = "0" + hex;
  if (/^[89a-f]/.test(hex))
    hex = "00" + hex;
  return Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
}
var number = (value) => BigInt("0x" + Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join(""));
var text = (value) => new TextEncoder().encode(value);
var join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
var sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));
var hash = async (...parts) => number(await sha256(...parts));

// dist/cognito.js
var CognitoError = class extends Error {
  code;
  name = "CognitoError";
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
};
var Cognito = class {
  #pool;
  constructor(options) {
    this.#pool = new Pool(options);
  }
  /**
   * Creates an account, to which Cognito sends a code for `confirmSignUp`. Returns the masked address. A name that the stack
   * refuses is a `UserLambdaValidationException`, whose message is for the user.
   */
  signUp(username, password, email) {
    const UserAttributes = [{ Name: "email", Value: email }];
    return this.#pool.deliver("SignUp", { Username: username, Password: password, UserAttributes });
  }
  /** Confirms an account with the code of the e-mail. */
  async confirmSignUp(username, code) {
    await this.#pool.callAsClient("ConfirmSignUp", { Username: username, ConfirmationCode: code });
  }
  /** Sends the code of `signUp` again. Returns the masked address. */
  resendCode(username) {
    return this.#pool.deliver("ResendConfirmationCode", { Username: username });
  }
  /** Sends a code for `confirmForgotPassword`. Returns a masked address even if there is no such user. */
  forgotPassword(username) {
    return this.#pool.deliver("ForgotPassword", { Username: username });
  }
  /** Sets a new password with the code of the e-mail. */
  async confirmForgotPassword(username, code, password) {
    await this.#pool.callAsClient("ConfirmForgotPassword", { Username: username, ConfirmationCode: code, Password: password });
  }
  /** Signs in. Cognito may ask for more than the password, by a challenge. */
  async signIn(username, password) {
    const { SRP_A, claim } = srp(this.#pool.name);
    const { ChallengeParameters, Session } = await this.#pool.callAsClient("InitiateAuth", {
      AuthFlow: "USER_SRP_AUTH",
      AuthParameters: { USERNAME: username, SRP_A }
    });
    const ChallengeResponses = await claim(ChallengeParameters, password);
    return this.#pool.respond({ ChallengeName: "PASSWORD_VERIFIER", Session, ChallengeResponses });
  }
  /** Returns the session of the store, such as after a reload, or null if nobody is signed in. */
  restore() {
    const saved = this.#pool.saved();
    return saved && new CognitoSession(this.#pool, saved.username);
  }
};
var ANSWERS = {
  SOFTWARE_TOKEN_MFA: "SOFTWARE_TOKEN_MFA_CODE",
  SMS_MFA: "SMS_MFA_CODE",
  NEW_PASSWORD_REQUIRED: "NEW_PASSWORD",
  MFA_SETUP: void 0
};
var Challenge = class {
  name;
  secret;
  #pool;
  #username;
  #session;
  /** @internal */
  constructor(pool, username, session, name, secret) {
    this.name = name;
    this.secret = secret;
    this.#pool = pool;
    this.#username = username;
    this.#session = session;
  }
  /** Answers with the code or the new password. */
  async respond(answer) {
    const ChallengeResponses = { USERNAME: this.#username };
    let Session = this.#session;
    const field = ANSWERS[this.name];
    if (field)
      ChallengeResponses[field] = answer;
    else
      ({ Session } = await this.#pool.call("VerifySoftwareToken", { Session, UserCode: answer }));
    return this.#pool.respond({ ChallengeName: this.name, Session, ChallengeResponses });
  }
};
var ENDS = ["NotAuthorizedException", "RefreshTokenReuseException", "UserNotFoundException"];
var CognitoSession = class extends RenewedSession {
  #pool;
  /** @internal */
  constructor(pool, username, token) {
    super(username);
    this.#pool = pool;
    if (token)
      this.keep(token);
  }
  /**
   * Throws a `NotAuthorizedException` if the session has ended: the user has signed out, or the refresh token has expired
   * or was revoked.
   *
   * Unlike InitiateAuth, GetTokensFromRefreshToken also works if the client of the pool rotates refresh tokens.
   */
  async fetchToken() {
    const ended = (cause) => new CognitoError("NotAuthorizedException", `The session of ${this.username} has ended. Sign in again.`, { cause });
    const saved = this.#pool.saved();
    if (saved?.username !== this.username)
      throw ended();
    const isSaved = () => this.#pool.saved()?.refreshToken === saved.refreshToken;
    const answer = await this.#pool.callAsClient("GetTokensFromRefreshToken", { RefreshToken: saved.refreshToken }).catch((error) => {
      if (!(error instanceof CognitoError && ENDS.includes(error.code)))
        throw error;
      if (!isSaved())
        return void 0;
      this.#pool.save(null);
      throw ended(error);
    });
    if (!answer || !isSaved())
      return this.fetchToken();
    const { AccessToken, RefreshToken } = answer.AuthenticationResult;
    if (RefreshToken)
      this.#pool.save({ username: this.username, refreshToken: RefreshToken });
    return AccessToken;
  }
  /**
   * Forgets the tokens, and then revokes the refresh token, which fails without a network. The API accepts the last access
   * token until it expires, after an hour at most.
   */
  async signOut() {
    this.forget();
    const saved = this.#pool.saved();
    if (saved?.username !== this.username)
      return;
    this.#pool.save(null);
    await this.#pool.callAsClient("RevokeToken", { Token: saved.refreshToken });
  }
  /** Returns a secret for an authenticator app, to be confirmed with a code of the app. */
  async startTotp() {
    const { SecretCode } = await this.#pool.call("AssociateSoftwareToken", { AccessToken: await this.token() });
    return SecretCode;
  }
  /** From now on, signing in needs a code of the authenticator app. `code` is the first one. */
  async confirmTotp(code) {
    await this.#pool.call("VerifySoftwareToken", { AccessToken: await this.token(), UserCode: code });
    await this.#setTotp(true);
  }
  /** From now on, signing in needs the password alone. */
  stopTotp() {
    return this.#setTotp(false);
  }
  async #setTotp(Enabled) {
    const SoftwareTokenMfaSettings = { Enabled, PreferredMfa: Enabled };
    await this.#pool.call("SetUserMFAPreference", { AccessToken: await this.token(), SoftwareTokenMfaSettings });
  }
};
var Pool = class {
  /** The name of the pool, which is a part of the hash of each password. */
  name;
  #clientId;
  #endpoint;
  #store;
  #key;
  constructor({ userPoolId, clientId, endpoint, store }) {
    const [region, name] = userPoolId.split("_");
    if (!name)
      throw new Error(`${userPoolId} is no id of a user pool, such as eu-west-1_AbCdEfGhI`);
    this.name = name;
    this.#clientId = clientId;
    this.#endpoint = endpoint ?? `https://cognito-idp.${region}.amazonaws.com/`;
    this.#store = store ?? inMemory();
    this.#key = `quick-photos.${clientId}`;
  }
  saved() {
    return JSON.parse(this.#store.getItem(this.#key) ?? "null");
  }
  save(saved) {
    if (saved)
      this.#store.setItem(this.#key, JSON.stringify(saved));
    else
      this.#store.removeItem(this.#key);
  }
  /** Sends a request. Nothing is signed: the client of the pool has no secret. */
  async call(action, input) {
    const answer = await fetch(this.#endpoint, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": `AWSCognitoIdentityProviderService.${action}`
      },
      body: JSON.stringify(input)
    });
    const output = await answer.json().catch(() => ({}));
    if (answer.ok)
      return output;
    const message = output.message?.replace(/^PreSignUp failed with error (.*)\.$/s, "$1");
    throw new CognitoError(output.__type?.split("#").pop() ?? `HTTP ${answer.status}`, message ?? "Cognito has failed");
  }
  /** Sends a request in the name of the client of the pool. */
  callAsClient(action, input) {
    return this.call(action, { ClientId: this.#clientId, ...input });
  }
  /** Sends a request after which Cognito sends a code. Returns the masked address. */
  async deliver(action, input) {
    const { CodeDeliveryDetails } = await this.callAsClient(action, input);
    return CodeDeliveryDetails?.Destination;
  }
  /** Answers a challenge. */
  async respond(input) {
    const { AuthenticationResult, ChallengeName, Session } = await this.callAsClient("RespondToAuthChallenge", input);
    if (AuthenticationResult?.RefreshToken) {
      const { AccessToken, RefreshToken } = AuthenticationResult;
      const { username } = claims(AccessToken);
      this.save({ username, refreshToken: RefreshToken });
      return new CognitoSession(this, username, AccessToken);
    }
    const { USERNAME } = input.ChallengeResponses;
    if (!isKnown(ChallengeName))
      throw new Error(`The client cannot answer the challenge ${ChallengeName} of Cognito`);
    if (ChallengeName !== "MFA_SETUP")
      return new Challenge(this, USERNAME, Session, ChallengeName);
    const setup = await this.call("AssociateSoftwareToken", { Session });
    return new Challenge(this, USERNAME, setup.Session, ChallengeName, setup.SecretCode);
  }
};
var isKnown = (name) => name !== void 0 && name in ANSWERS;

// dist/files.js
var MemoryFiles = class {
  #kept = /* @__PURE__ */ new Map();
  put = async (kept) => this.#kept.set(kept.key, kept);
  delete = async (key) => this.#kept.delete(key);
  all = async () => [...this.#kept.values()];
};
var BrowserFiles = class {
  put = (kept) => this.#run("readwrite", (store) => store.put(kept));
  delete = (key) => this.#run("readwrite", (store) => store.delete(key));
  all = () => this.#run("readonly", (store) => store.getAll());
  #run(mode, act) {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open("quick-photos", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("uploads", { keyPath: "key" });
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction("uploads", mode);
        const request = act(transaction.objectStore("uploads"));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
        opening.result.close();
      };
    });
  }
};

// dist/local.js
var LocalIssuer = class extends RenewedSession {
  #url;
  constructor({ api, username, groups = [] }) {
    super(username);
    const query = new URLSearchParams(groups.map((group) => ["group", group])).toString();
    this.#url = `${api}/local/token/${encodeURIComponent(username)}${query && `?${query}`}`;
  }
  async fetchToken() {
    const answer = await fetch(this.#url);
    const text2 = await answer.text();
    if (!answer.ok)
      throw problemOf(answer.status, answer.headers, text2);
    return text2;
  }
};

// dist/optimistic.js
var Optimistic = class {
  show;
  send;
  #confirmed;
  #wanted;
  #sending;
  /**
   * `show` gets each value to show, and the last one twice. `send` sends a value, and returns what the server has made of it, such as a request to
   * follow, or nothing if it is as it was sent.
   */
  constructor(value, show, send) {
    this.show = show;
    this.send = send;
    this.#confirmed = this.#wanted = value;
  }
  /** The value that shows. */
  get value() {
    return this.#wanted;
  }
  /** Shows a value, and returns when the server has the last one that was set. Throws what `send` throws, after showing what the server has. */
  set(value) {
    this.#wanted = value;
    this.show(value);
    return this.#sending ??= this.#run().finally(() => this.#sending = void 0);
  }
  async #run() {
    while (this.#wanted !== this.#confirmed) {
      const sent = this.#wanted;
      try {
        this.#confirmed = await this.send(sent) ?? sent;
      } catch (problem) {
        if (this.#wanted !== sent)
          continue;
        this.#wanted = this.#confirmed;
        this.show(this.#confirmed);
        throw problem;
      }
      if (this.#wanted === sent)
        this.show(this.#wanted = this.#confirmed);
    }
  }
};

// dist/uploads.js
var FORMATS = { "image/png": "png", "image/webp": "webp" };
var FIRST_PAUSE_MS2 = 500;
var LONGEST_PAUSE_MS = 4e3;
var PROCESSING_TIMEOUT_MS = 24e4;
var Uploads = class extends EventTarget {
  api;
  files;
  /** The uploads, the newest first, with those that are finished. */
  list = [];
  /** What the file before waits for, if there is one. */
  #last;
  constructor(api, files = "indexedDB" in globalThis ? new BrowserFiles() : new MemoryFiles()) {
    super();
    this.api = api;
    this.files = files;
  }
  /** Begins to upload a file. */
  add(file, texts = {}) {
    const kept = { key: newKey(), username: this.api.session.username, file, texts };
    return this.#begin(kept, this.files.put(kept).catch(() => {
    }));
  }
  /** Goes on with the uploads of this user that a reload has interrupted. Throws what the store throws. */
  async resume() {
    const kept = await this.files.all();
    const isNew = ({ key, username }) => username === this.api.session.username && !this.list.some((upload) => upload.key === key);
    for (const file of kept.filter(isNew))
      this.#begin(file);
  }
  /** Whether a file is not sent yet. */
  get busy() {
    return this.list.some(({ state }) => state === "waiting" || state === "sending");
  }
  #begin(kept, stored) {
    const upload = new Upload(this, kept, stored);
    this.list = [upload, ...this.list];
    upload.retry();
    return upload;
  }
  /** @internal Runs `send` after those before. */
  inTurn(send) {
    const turn = this.#last ? this.#last.then(send) : send();
    const last = this.#last = turn.catch(() => {
    }).finally(() => {
      if (this.#last === last)
        this.#last = void 0;
    });
    return turn;
  }
  /** @internal */
  changed() {
    this.dispatchEvent(new Event("change"));
  }
  /** Takes an upload that is finished off the list. `abort` ends any other. */
  remove(upload) {
    this.list = this.list.filter((other) => other !== upload);
    this.changed();
  }
};
var Upload = class {
  uploads;
  kept;
  stored;
  key;
  file;
  /** `ready` and `rejected` are the ends: the photo says why it is rejected. A `failed` upload can be sent again. */
  state = "waiting";
  /** The part of the file that is sent, from 0 to 1. */
  sent = 0;
  /** The photo as it was read last. */
  photo;
  /** Why the upload has failed. */
  problem;
  /** The photo when it is ready or rejected. Throws a Problem if the last attempt failed, and an `AbortError` after `abort`. */
  done;
  #control = new AbortController();
  /** @internal `add` of Uploads makes uploads. */
  constructor(uploads, kept, stored = Promise.resolve()) {
    this.uploads = uploads;
    this.kept = kept;
    this.stored = stored;
    this.key = kept.key;
    this.file = kept.file;
  }
  /** Sends the file again after a failure. The key leads to the same photo. */
  retry() {
    this.#control = new AbortController();
    this.#change({ state: "waiting", sent: 0, problem: void 0 });
    this.done = this.#run(this.#control.signal);
    this.done.catch((problem) => this.#control.signal.aborted || this.#change({ state: "failed", problem }));
  }
  /** Stops the upload, and deletes a photo that is not ready. Throws what the deletion throws. */
  async abort() {
    this.#control.abort();
    this.uploads.remove(this);
    await this.#forget();
    if (this.state !== "waiting")
      await this.done.catch(() => {
      });
    if (this.photo?.status === "pending")
      await this.uploads.api.request("DELETE", `/users/me/photos/${this.photo.id}`);
  }
  async #run(signal) {
    await this.uploads.inTurn(() => this.#send(signal));
    const { api } = this.uploads;
    const end = Date.now() + PROCESSING_TIMEOUT_MS;
    for (let pause = FIRST_PAUSE_MS2; this.photo.status === "pending"; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      if (Date.now() > end)
        throw new Problem(0, "The photo is not ready", "It was sent, and nobody has answered. Try again later.");
      await sleep(pause, signal);
      const path = { username: "me", photo: this.photo.id };
      const { data } = await api.GET("/users/{username}/photos/{photo}", { params: { path, query: { limit: 1 } }, signal });
      this.#change({ photo: data.photo });
    }
    await this.#forget();
    this.#change({ state: this.photo.status === "rejected" ? "rejected" : "ready" });
    return this.photo;
  }
  async #send(signal) {
    signal.throwIfAborted();
    this.#change({ state: "sending" });
    const { file, texts, key } = this.kept;
    const { body } = await this.uploads.api.request("POST", "/users/me/photos", {
      body: { format: FORMATS[file.type] ?? "jpeg", ...texts },
      headers: { "Idempotency-Key": key }
    });
    const { upload: form, ...photo } = body;
    this.#change({ photo });
    if (form)
      await retried(() => sendFile(form, file, (sent) => this.#change({ sent }), signal), signal);
    this.#change({ sent: 1, state: "processing" });
  }
  async #forget() {
    await this.stored;
    await this.uploads.files.delete(this.key).catch(() => {
    });
  }
  #change(change) {
    Object.assign(this, change);
    this.uploads.changed();
  }
};
async function sendFile(form, file, onProgress = () => {
}, signal) {
  const data = new FormData();
  for (const [name, value] of Object.entries(form.fields))
    data.append(name, value);
  data.append("file", file);
  signal?.throwIfAborted();
  const { status, text: text2 } = await ("XMLHttpRequest" in globalThis ? post(form.url, data, onProgress, signal) : postByFetch(form.url, data, signal));
  if (status >= 300)
    throw new Problem(status, "S3 refused the file", /<Message>(.*?)<\/Message>/s.exec(text2)?.[1] ?? `Status ${status}`);
}
var lost = (cause) => new Problem(0, "The file did not reach S3", "Try again.", { cause });
var post = (url, data, onProgress, signal) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
  request.onload = () => resolve({ status: request.status, text: request.responseText });
  request.onerror = () => reject(lost());
  request.onabort = () => reject(signal.reason);
  signal?.addEventListener("abort", () => request.abort());
  request.open("POST", url);
  request.send(data);
});
async function postByFetch(url, data, signal) {
  try {
    const answer = await fetch(url, { method: "POST", body: data, signal: signal ?? null });
    return { status: answer.status, text: await answer.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    throw lost(cause);
  }
}
export {
  ANSWER_TIMEOUT_MS,
  BrowserFiles,
  Challenge,
  Cognito,
  CognitoError,
  CognitoSession,
  LocalIssuer,
  MemoryFiles,
  Optimistic,
  PROCESSING_TIMEOUT_MS,
  Pages,
  Problem,
  QuickPhotos,
  RETRY_BUDGET_MS,
  RenewedSession,
  Upload,
  Uploads,
  claims,
  content,
  fromBase64,
  inMemory,
  newKey,
  problemOf,
  sendFile
};
