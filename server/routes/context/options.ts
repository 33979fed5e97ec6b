// The dependencies of the routes.

import type { Transport } from '../../../engine/backup.ts'
import type { Engine, Registration, Webhook } from '../../../engine/index.ts'
import type { Authorise, ReadBody } from '../../http/index.ts'
import type { RequestContext } from '../../http/messages/index.ts'
import type { Log } from '../../log/index.ts'
import type { EventTally, Metrics, StatsHistory } from '../../metrics/index.ts'
import type { NetworkService } from '../../network/index.ts'
import type { Personalizer } from '../../personalize/index.ts'
import type { EventStreams } from '../../streams/index.ts'

export type RouteOptions = {
  readonly engine: Engine
  /**
   * Returns how the task of a request is registered; undefined uses the queue's default. Called
   * after all other checks. @throws ApiError
   */
  readonly registrationOf: (context: RequestContext) => Registration | undefined
  /** Shown by `GET /version`. */
  readonly release: Release
  /** Personalizes hits; null if no provider is configured. */
  readonly personalizer: Personalizer | null
  /** Calls models; null if there is no transport for them. */
  readonly models: Transport | null
  /** Key texts are derived from it; null disables keys. */
  readonly masterKey: string | null
  /** The webhook of the launch options, or null. */
  readonly launchWebhook: Webhook | null
  /** The other instances of the network. */
  readonly instances: NetworkService
  readonly log: Log
  /** The text that Prometheus collects. */
  readonly metrics: Pick<Metrics, 'text'>
  /** The sizes of the last hour. */
  readonly history: Pick<StatsHistory, 'view'>
  /** The open streams of tasks and batches. */
  readonly streams: EventStreams
  /** Admits callers to routes that another route calls for them. */
  readonly authorise: Authorise
  /** Reads the bodies of such calls. */
  readonly readBody: ReadBody
  /** Counts events other than requests. */
  readonly events: EventTally
}

type Release = {
  readonly version: string
  /** `unknown` if the build did not set it. */
  readonly commitSha: string
  readonly commitDate: string
}
