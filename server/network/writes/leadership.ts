// The term of the leadership: an instance that takes it over chooses a later term than any member
// knows, and a leader that learns of a later term steps down.
import type { Engine, Network, Send } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { type CallTimes, describedRemote, type InstanceDescription } from '../calls/index.ts'

type Parts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
  /** Called when another instance leads. */
  readonly steppedDown: () => void
  readonly report: (message: string, error: unknown) => void
}

export type Described = ReadonlyMap<string, InstanceDescription>

/**
 * Returns the leadership after a change by this instance. `described`: the other members. @throws
 * ApiError not_a_leader if another instance leads a later term
 */
export function nextLeadership(
  id: string,
  before: Network,
  described: Described,
): Pick<Network, 'leaderId' | 'term'> {
  const known = [...described.values()].map(({ term }) => term)
  const latest = Math.max(before.term, ...known)
  const leads = before.leader !== null && before.leader === before.self
  if (!leads) return { leaderId: id, term: latest + 1 }
  if (latest === before.term) return { leaderId: id, term: latest }
  const [name, { leader }] = [...described].find(([, { term }]) => term === latest)!
  throw new ApiError(
    'not_a_leader',
    `The instance \`${name}\` follows a later leader than this one: \`${leader ?? name}\`.\n` +
      '  - Hint: send this change there. To lead again, first send `{"leader": null}` here.',
  )
}

/** Refuses addresses that lead to the same instance. @throws ApiError invalid_network_url */
export function checkAddresses(
  own: InstanceDescription,
  self: string | null,
  described: Described,
): void {
  const names = new Map<string, string>(self === null ? [] : [[own.process, self]])
  for (const [name, { process }] of described) {
    const other = names.get(process) ?? name
    if (name === self ? process !== own.process : other !== name) {
      const words =
        name === self
          ? `The url of \`${name}\`, the name of this instance, leads to another instance.`
          : `The urls of \`${other}\` and \`${name}\` lead to the same instance.`
      throw new ApiError('invalid_network_url', words)
    }
    names.set(process, name)
  }
}

export class Leadership {
  readonly #parts: Parts
  #checking: Promise<void> | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Asks the other members for the term that they know; if it is later, this instance accepts no
   * more writes and follows the later leader. Members that do not answer, or not before `signal`,
   * are skipped.
   */
  check(signal: AbortSignal): Promise<void> {
    this.#checking ??= this.#check(signal).finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { engine } = this.#parts
    const { self, leader, remotes } = engine.network.get()
    if (leader === null || leader !== self) return
    const others = [...remotes].filter(([name]) => name !== self)
    await Promise.all(
      others.map(async ([, remote]) => {
        try {
          const found = await describedRemote(this.#parts, remote, signal)
          if (found !== null) await this.#stepDown(found)
        } catch (error) {
          if (!(error instanceof ApiError) && !signal.aborted) throw error
        }
      }),
    )
  }

  async #stepDown({ leader, leaderId, term }: InstanceDescription): Promise<void> {
    const { engine, steppedDown, report } = this.#parts
    const known = engine.network.get()
    if (leader === null || term <= known.term || known.leader !== known.self) return
    const pending = engine.replication.remotesDue().length > 0
    // It lacks the writes of the later leader until it takes part in a change of that one.
    if (known.self !== null) await engine.replication.giveUp(known.self, 'absent')
    await engine.network.update((now) => ({ ...now, leader, leaderId, term }))
    steppedDown()
    const left = pending ? ' Some of its writes were not confirmed by all members.' : ''
    report(
      `\`${leader}\` leads the network now: this instance accepts no more writes.${left}`,
      null,
    )
  }
}
