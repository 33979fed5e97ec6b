// Determines the language of a run of text, only for scripts with more than one way of segmentation
// (Latin, Chinese-Japanese, Arabic).
import { CJ, LATIN, scriptId } from './characters/index.ts'

const ARABIC = scriptId('Arabic')

/** How many Chinese-Japanese characters of each kind a run has. */
export type CjCounts = {
  readonly han: number
  readonly hiragana: number
  readonly katakana: number
}

/** A run of Chinese characters with a larger share of kana than this is Japanese. */
const KANA_SHARE_MAX = 0.05

/**
 * Returns the language of a run. `locales`: the allowed languages (three-letter codes); null or
 * empty means any. A single allowed language is returned without reading the text. The language of
 * Latin text is never guessed without locales.
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
 * Detects the language from the characters, among the allowed ones. Only Chinese and Japanese are
 * told apart; a statistical detector for the other scripts would belong here.
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
