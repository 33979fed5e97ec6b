// The embedding session of a batch, and its statistics.
import { EmbeddingSession } from '../../ai/embedding/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Embedders } from '../../settings/embedders/index.ts'
import {
  allFailed,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
} from '../../write/batching/index.ts'
import { type TaskEnvironment, uncommitted } from '../kind/index.ts'

/** Returns a session, or undefined if there are no embedders or they cannot be called. */
export function embeddingSession(
  { providers, failureModes }: TaskEnvironment,
  embedders: Embedders,
  control: BatchControl,
): EmbeddingSession | undefined {
  if (providers === null || Object.keys(embedders).length === 0) return undefined
  const session = new EmbeddingSession(providers, control.signal, failureModes)
  control.countRequests(() => session.requests)
  return session
}

/** Returns the statistics of a batch that called embedders. */
export const requestsOf = (session: EmbeddingSession | undefined) =>
  session === undefined ? {} : { embedderRequests: session.requests }

/**
 * Ends a failed batch; if it called embedders, its statistics are kept. @throws `error` itself
 * otherwise
 */
export function failedWith(
  error: unknown,
  plan: BatchPlan,
  session: EmbeddingSession | undefined,
): BatchEnd {
  const requests = session?.requests ?? null
  if (requests === null || !(error instanceof EngineFault)) throw error
  const { code, message } = error
  return uncommitted({ ...allFailed(plan, { code, message }), embedderRequests: requests })
}
