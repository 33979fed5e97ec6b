// What a batch needs to have vectors made: a session with the providers, and its statistics.
import { EmbeddingSession } from '../ai/embedding/index.ts'
import { EngineFault } from '../model/index.ts'
import { allFailed, type BatchEnd, type BatchPlan } from '../write/tasks/index.ts'
import { uncommitted } from './commit.ts'
import type { TaskEnvironment } from './task-kind.ts'

/** Settings as they are stored, with an embedder in them. */
const WITH_EMBEDDERS = '"embedders":{"'

/** undefined: the settings name no embedder, or embedders cannot be asked. */
export function embeddingSession(
  { providers, failureModes }: TaskEnvironment,
  settings: string,
  signal: AbortSignal,
): EmbeddingSession | undefined {
  if (providers === null || !settings.includes(WITH_EMBEDDERS)) return undefined
  return new EmbeddingSession(providers, signal, failureModes)
}

/** Statistics of a batch that asked embedders. */
export const requestsOf = (session: EmbeddingSession | undefined) =>
  session === undefined ? {} : { embedderRequests: session.requests }

/** A batch that failed after it had asked embedders shows that it did. */
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
