// What is shown of the log, part by part: `info`, `svc::http=debug,warn`, a level for each part of
// the server and one for the rest. Texts were checked by whoever took them in.
import { LEVELS } from './levels.ts'

type Directive = {
  /** Beginning of the parts it is about; empty: all. */
  readonly prefix: string
  /** Position in LEVELS. */
  readonly shown: number
}

export class LogTargets {
  /** Longest prefix first; null: as launched. */
  #directives: readonly Directive[] | null = null
  /** Levels by part: there are few parts, and each asks for every event. */
  readonly #known = new Map<string, number>()

  /** Replaces what was said before. */
  set(text: string): void {
    const directives = text.split(',').flatMap((part) => directiveOf(part.trim()) ?? [])
    this.#directives = directives.sort((a, b) => b.prefix.length - a.prefix.length)
    this.#known.clear()
  }

  /** How many levels of a part are shown; `launched` where nothing was said. */
  shown(target: string, launched: number): number {
    if (this.#directives === null) return launched
    const known = this.#known.get(target)
    if (known !== undefined) return known
    const found = this.#directives.find(({ prefix }) => target.startsWith(prefix))?.shown ?? 0
    this.#known.set(target, found)
    return found
  }
}

function directiveOf(part: string): Directive | null {
  if (part === '') return null
  const [first = '', second] = part.split('=')
  if (second !== undefined) return { prefix: first, shown: shownOf(second) ?? 0 }
  const shown = shownOf(first)
  // A part without a level: all of it.
  return shown === null ? { prefix: first, shown: LEVELS.length - 1 } : { prefix: '', shown }
}

function shownOf(level: string): number | null {
  if (/^[0-5]$/.test(level)) return Number(level)
  const at = (LEVELS as readonly string[]).indexOf(level.toUpperCase())
  return at < 0 ? null : at
}
