// What the routes need to know besides the request.

import type { Engine, Registration, Transport, Webhook } from '../../engine/index.ts'
import type { RequestContext } from '../http/index.ts'
import type { Log } from '../log/index.ts'
import type { EventTally, Metrics } from '../metrics/index.ts'
import type { NetworkService } from '../network/index.ts'
import type { Personalizer } from '../personalize/index.ts'

export type RouteOptions = {
  readonly engine: Engine
  /**
   * How a request wants its task to be registered; undefined: as the queue does. Asked after
   * everything else was checked. @throws ApiError
   */
  readonly registrationOf: (context: RequestContext) => Registration | undefined
  /** What `GET /version` tells. */
  readonly release: Release
  /** Puts hits into the order for a user; null: no provider was configured. */
  readonly personalizer: Personalizer | null
  /** Calls models; null: none can be asked. */
  readonly models: Transport | null
  /** Which the texts of keys are derived from; null: keys are out of reach. */
  readonly masterKey: string | null
  /** The webhook of the launch options; null: there is none. */
  readonly launchWebhook: Webhook | null
  /** The other instances of the network. */
  readonly instances: NetworkService
  readonly log: Log
  /** The text that Prometheus collects. */
  readonly metrics: Pick<Metrics, 'text'>
  /** Told of what is counted besides requests. */
  readonly events: EventTally
}

type Release = {
  readonly version: string
  /** `unknown` where the build was not told. */
  readonly commitSha: string
  readonly commitDate: string
}
