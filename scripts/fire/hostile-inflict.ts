// Runs attacks against a server: prepares them first, then runs all their clients in parallel,
// until the time is over or every client has sent its share.
import { setMaxListeners } from 'node:events'
import type { Attack, Outcome, Sizes, Target } from './hostile-attack.ts'

export type Tally = {
  readonly name: string
  /** Requests begun. */
  readonly sent: number
  /** Outcome → how often. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Outcomes that the attack does not allow. */
  readonly unwanted: readonly string[]
  readonly answerBytes: number
}

export type Bounds = {
  readonly sizes: Sizes
  /** Connections of an attack are multiplied by this, and are at least one. */
  readonly connectionShare: number
  /** Requests of each connection. */
  readonly requestsMax: number
}

export type Prepared = {
  /** Resolves when all clients have ended. */
  readonly run: (target: Target) => Promise<readonly Tally[]>
  /** Sends no more requests; open ones are aborted. */
  readonly stop: () => void
}

/** Creates all bodies, which may take seconds. */
export function prepare(attacks: readonly Attack[], bounds: Bounds): Prepared {
  const over = new AbortController()
  // Each connection adds a listener.
  setMaxListeners(0, over.signal)
  const clients = attacks.map((attack) => ({ attack, client: attack.client(bounds.sizes) }))
  const run = (target: Target): Promise<readonly Tally[]> =>
    Promise.all(
      clients.map(async ({ attack, client }) => {
        const counts = new Map<Outcome, number>()
        let [sent, answerBytes, longest] = [0, 0, 0]
        const connections = Math.max(1, Math.round(attack.connections * bounds.connectionShare))
        const one = (number: number): Promise<void> => {
          let left = bounds.requestsMax
          return client({
            target,
            key: target.keys[attack.role],
            number,
            signal: over.signal,
            goesOn: () => {
              if (over.signal.aborted || left === 0) return false
              left--
              sent++
              return true
            },
            tell: (outcome, bytes = 0) => {
              counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
              answerBytes += bytes
              longest = Math.max(longest, bytes)
            },
          })
        }
        await Promise.all(Array.from({ length: connections }, (_, number) => one(number)))
        return tallyOf(attack, sent, counts, answerBytes, longest)
      }),
    )
  return { run, stop: () => over.abort() }
}

function tallyOf(
  { name, wants, answerBytesMax = Number.POSITIVE_INFINITY }: Attack,
  sent: number,
  counts: ReadonlyMap<Outcome, number>,
  answerBytes: number,
  longest: number,
): Tally {
  const unwanted = [...counts.keys()].filter((outcome) => !wants.includes(outcome)).map(String)
  if (longest > answerBytesMax) unwanted.push(`an answer of ${longest} bytes`)
  const outcomes = Object.fromEntries([...counts].map(([key, count]) => [String(key), count]))
  return { name, sent, outcomes, unwanted, answerBytes }
}
