import {Problem} from "./problems.js";

/** The first pause. Each further pause is twice as long, and half of each is random, so that clients do not come together. */
const FIRST_PAUSE_MS = 200;
/** The time after which nothing is sent again. */
export const RETRY_BUDGET_MS = 5000;
/** No answer, a throttled request, and the failures of a server that may be over soon. */
const TRANSIENT = [0, 429, 502, 503, 504];

/** Returns after a time. Throws the reason of the signal when it aborts. */
export const sleep = (ms: number, signal?: AbortSignal | null) => new Promise<void>((resolve, reject) => {
  const abort = () => {
    clearTimeout(timer);
    reject(signal!.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener("abort", abort);
    resolve();
  }, ms);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, {once: true});
});

/**
 * Runs `attempt` again while it throws a transient Problem of a status in `statuses`, until the budget is spent. A
 * `Retry-After` makes a pause longer. Throws the last Problem, anything else that `attempt` throws, and the reason of the
 * signal.
 */
export async function retried<Result>(attempt: () => Promise<Result>, signal?: AbortSignal | null, statuses = TRANSIENT): Promise<Result> {
  const end = Date.now() + RETRY_BUDGET_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await attempt();
    } catch (problem) {
      if (!(problem instanceof Problem) || !statuses.includes(problem.status)) throw problem;
      const wait = Math.max(pause * (0.5 + Math.random() / 2), (problem.retryAfter ?? 0) * 1000);
      if (Date.now() + wait > end) throw problem;
      await sleep(wait, signal);
    }
  }
}
