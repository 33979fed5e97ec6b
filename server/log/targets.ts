// Which events of each part of the log are shown: `info`, `svc::http=debug,warn`, a level for each
// part of the server and one for the others. The caller has validated the texts.
import { LEVELS } from './levels.ts'

type Directive = {
  /** Prefix of the parts that the directive covers; empty covers all. */
  readonly prefix: string
  /** Position in LEVELS. */
  readonly shown: number
}

export class LogTargets {
  /** Longest prefix first, or null for the level of the launch. */
  #directives: readonly Directive[] | null = null
  /** Cache of levels by part: there are few parts, and each event looks its part up. */
  readonly #cachedLevels = new Map<string, number>()

  /** Replaces all directives. */
  set(text: string): void {
    const directives = text.split(',').flatMap((part) => directiveOf(part.trim()) ?? [])
    this.#directives = directives.sort((a, b) => b.prefix.length - a.prefix.length)
    this.#cachedLevels.clear()
  }

  /** Returns how many levels of a part are shown; `launched` if no directives are set. */
  shown(target: string, launched: number): number {
    if (this.#directives === null) return launched
    const cached = this.#cachedLevels.get(target)
    if (cached !== undefined) return cached
    const level = this.#directives.find(({ prefix }) => target.startsWith(prefix))?.shown ?? 0
    this.#cachedLevels.set(target, level)
    return level
  }
}

function directiveOf(part: string): Directive | null {
  if (part === '') return null
  const [first = '', second] = part.split('=')
  if (second !== undefined) return { prefix: first, shown: shownOf(second) ?? 0 }
  const shown = shownOf(first)
  // A part without a level: all its events are shown.
  return shown === null ? { prefix: first, shown: LEVELS.length - 1 } : { prefix: '', shown }
}

function shownOf(level: string): number | null {
  if (/^[0-5]$/.test(level)) return Number(level)
  const at = (LEVELS as readonly string[]).indexOf(level.toUpperCase())
  return at < 0 ? null : at
}
