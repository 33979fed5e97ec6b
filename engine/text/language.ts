// Which language a run of text is taken to be in. Asked only where it makes a difference: for
// scripts with more than one way of cutting (Latin, Chinese-Japanese, Arabic).
import { CJ, LATIN, scriptId } from './characters.ts'

const ARABIC = scriptId('Arabic')

/** How many Chinese-Japanese characters of each kind a run has. */
export type CjCounts = {
  readonly han: number
  readonly hiragana: number
  readonly katakana: number
}

/** A larger share of kana than this makes a run of Chinese characters Japanese. */
const KANA_SHARE_MAX = 0.05

/**
 * The language of a run. `locales` are the languages allowed (three-letter codes); null or empty:
 * any. One allowed language is believed without a look at the text. Latin text is never guessed
 * unasked.
 */
export function languageOf(
  script: number,
  counts: CjCounts,
  locales: readonly string[] | null,
): string | null {
  if (script !== LATIN && script !== CJ && script !== ARABIC) return null
  if (locales?.length === 1) return locales[0]!
  return detectLanguage(script, counts, locales)
}

/**
 * The language seen in the characters themselves, among the allowed ones. Only Chinese and Japanese
 * are told apart; a statistical detector for the other scripts would find its place here.
 */
export function detectLanguage(
  script: number,
  counts: CjCounts,
  locales: readonly string[] | null,
): string | null {
  if (script !== CJ) return null
  const { han, hiragana, katakana } = counts
  if (hiragana > han || katakana > han) return 'jpn'
  const any = locales === null || locales.length === 0
  const chinese = any || locales.includes('cmn') || locales.includes('zho')
  if (!chinese) return 'jpn'
  const japanese = any || locales.includes('jpn')
  const kana = hiragana + katakana
  return japanese && kana > KANA_SHARE_MAX * (han + kana) ? 'jpn' : 'cmn'
}
