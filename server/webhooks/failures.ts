// Logs failed deliveries: the webhook, the reason, and the remedy; at most one line per webhook and
// minute, because an unavailable receiver fails for every batch.
import { OutgoingFault, type Webhook } from '../../engine/index.ts'
import { REPORT_INTERVAL_MS } from './limits.ts'

type Reported = { at: number; unreported: number }

export type FailureLogOptions = {
  readonly report: (message: string) => void
  /** Milliseconds since any fixed moment. */
  readonly now: () => number
}

export class FailureLog {
  readonly #options: FailureLogOptions
  /** By the uuid of the webhook. */
  readonly #reported = new Map<string, Reported>()

  constructor(options: FailureLogOptions) {
    this.#options = options
  }

  /** `problem`: a sentence without its full stop. */
  add(webhook: Pick<Webhook, 'uuid' | 'url'>, problem: string): void {
    const { report, now } = this.#options
    const reported = this.#reported.get(webhook.uuid)
    if (reported !== undefined && now() - reported.at < REPORT_INTERVAL_MS) {
      reported.unreported++
      return
    }
    const before = reported?.unreported ?? 0
    const more = before === 0 ? '' : ` (${before} more failures since the last line about it)`
    report(`While sending data to the webhook ${nameOf(webhook)}: ${problem}${more}`)
    this.#reported.set(webhook.uuid, { at: now(), unreported: 0 })
  }

  /** Drops webhooks that no longer exist. */
  dropOthers(uuids: ReadonlySet<string>): void {
    for (const uuid of this.#reported.keys()) if (!uuids.has(uuid)) this.#reported.delete(uuid)
  }
}

/** Paths and queries of webhooks may contain secrets, so only the origin is shown. */
const nameOf = ({ uuid, url }: Pick<Webhook, 'uuid' | 'url'>): string =>
  URL.canParse(url) ? `${uuid} (${new URL(url).origin})` : uuid

/** Describes a failed call, with the remedy if the policy for outbound calls refused it. */
export function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof OutgoingFault) || error.kind !== 'rejected') return message
  const policy = 'outbound calls go to public addresses only'
  return `${message}: ${policy}; list its network with --experimental-allowed-ip-networks`
}
