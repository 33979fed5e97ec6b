// Cuts a text into runs of one script. `Other` characters (digits, spaces, symbols) belong to the
// run around them, leading ones to the first run with a script. A run is treated as the script of
// most of its characters. This differs from the script it was cut by only if Armenian letters,
// which never begin a run, are the most frequent.
import {
  ARMENIAN,
  CJ,
  character,
  isHiragana,
  isKatakana,
  LATIN,
  OTHER,
  SCRIPT_MASK,
} from './characters/index.ts'
import type { CjCounts } from './language.ts'

/** Text units [from, to) of one script. */
export type Run = {
  readonly from: number
  readonly to: number
  readonly script: number
  readonly counts: CjCounts
}

const NO_CJ: CjCounts = { han: 0, hiragana: 0, katakana: 0 }

const ASCII = /^[\0-\x7f]*$/
const ASCII_LETTER = /[A-Za-z]/

/** The runs of a well-formed text, in order and without gaps. */
export function runsOf(text: string): Run[] {
  if (ASCII.test(text)) {
    const script = ASCII_LETTER.test(text) ? LATIN : OTHER
    return text === '' ? [] : [{ from: 0, to: text.length, script, counts: NO_CJ }]
  }
  const runs: Run[] = []
  let from = 0
  let script = OTHER
  let counter = new ScriptCounter()
  for (let i = 0; i < text.length; ) {
    const point = text.codePointAt(i)!
    let own = character(point) & SCRIPT_MASK
    if (own === ARMENIAN) own = OTHER
    if (own !== OTHER && own !== script) {
      if (script !== OTHER) {
        runs.push({ from, to: i, script: counter.script(script), counts: counter })
        from = i
        counter = new ScriptCounter()
      }
      script = own
    }
    counter.add(point)
    i += point > 0xffff ? 2 : 1
  }
  runs.push({ from, to: text.length, script: counter.script(script), counts: counter })
  return runs
}

/** Returns the script of most characters of a whole text, and counts of Chinese-Japanese ones. */
export function scriptOfWhole(text: string): { script: number; counts: CjCounts } {
  const counts = new Uint32Array(SCRIPT_MASK + 1)
  const counter = new ScriptCounter()
  for (const char of text) {
    const point = char.codePointAt(0)!
    counts[character(point) & SCRIPT_MASK]!++
    counter.add(point)
  }
  counts[OTHER] = 0
  // The detector counts Chinese characters, hiragana and katakana as three scripts.
  counts[CJ] = Math.max(counter.han, counter.hiragana, counter.katakana)
  let script = OTHER
  for (let id = 1; id < counts.length; id++) if (counts[id]! > counts[script]!) script = id
  return { script, counts: counter }
}

class ScriptCounter {
  han = 0
  hiragana = 0
  katakana = 0
  #armenian = 0
  #others = 0

  add(point: number): void {
    const script = character(point) & SCRIPT_MASK
    if (script === OTHER) return
    if (script === ARMENIAN) this.#armenian++
    else if (script !== CJ) this.#others++
    else if (isHiragana(point)) this.hiragana++
    else if (isKatakana(point)) this.katakana++
    else this.han++
  }

  /** The script of a run that was cut as `script`. */
  script(script: number): number {
    const most = Math.max(this.#others, this.han, this.hiragana, this.katakana)
    return this.#armenian > most ? ARMENIAN : script
  }
}
