// Two indexes that the writer swaps. They are swapped at one moment: no request ever sees the same
// content under both names, or one content in no place.
import { endOfTask, untilHolds } from '../parts/client.ts'
import type { SimulatedMember } from './session.ts'

const [LEFT, RIGHT] = ['left', 'right'] as const
const CREATE_MS_MAX = 20_000
const OK = 200
const QUERIES = { queries: [LEFT, RIGHT].map((indexUid) => ({ indexUid })) }

export class Swaps {
  /** Whether the indexes are swapped now; null if a swap may or may not have taken effect. */
  #isSwapped: boolean | null = false

  /** Creates the indexes. */
  async create(writer: SimulatedMember): Promise<void> {
    for (const side of [LEFT, RIGHT]) {
      // A writer that has just started may not have its lease yet.
      await untilHolds(`${writer.name} creates ${side}`, CREATE_MS_MAX, async () => {
        const path = `/indexes/${side}/documents`
        const { status, json } = await writer.ask('POST', path, { body: [{ id: 0, side }] })
        if (status !== 202) return false
        await endOfTask(writer, json.taskUid)
        return true
      })
    }
  }

  /** Swaps them; returns whether the answer acknowledged it. @throws LineFault */
  async swap(writer: SimulatedMember): Promise<boolean> {
    const before = this.#isSwapped
    this.#isSwapped = null
    const body = [{ indexes: [LEFT, RIGHT] }]
    const { status } = await writer.ask('POST', '/swap-indexes', { body })
    if (status !== 202) return false
    if (before !== null) this.#isSwapped = !before
    return true
  }

  /** Searches both; returns what is wrong with the answer, or null. @throws LineFault */
  async read(member: SimulatedMember): Promise<string | null> {
    const sides = await sidesOn(member)
    if (sides === null || sides === `${LEFT},${RIGHT}` || sides === `${RIGHT},${LEFT}`) return null
    return `${member.name} shows ${sides} under the names of two indexes that are swapped`
  }

  /** Compares an idle instance with the acknowledged swaps; takes its state as the right one. */
  async settle(writer: SimulatedMember): Promise<string | null> {
    const sides = await sidesOn(writer)
    const isSwapped = sides === `${RIGHT},${LEFT}`
    const expected = this.#isSwapped ?? isSwapped
    this.#isSwapped = isSwapped
    return expected === isSwapped ? null : `a swap was lost or made twice: ${sides}`
  }
}

/** Returns the contents under the two names, or null if there was no answer about them. */
export async function sidesOn(member: SimulatedMember): Promise<string | null> {
  const { status, json } = await member.ask('POST', '/multi-search', { body: QUERIES })
  if (status !== OK) return null
  const results = json.results as readonly { readonly hits: readonly { side: string }[] }[]
  return results.map(({ hits }) => hits.map(({ side }) => side).join('+')).join(',')
}
