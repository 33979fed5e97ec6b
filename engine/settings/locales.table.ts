// The language codes that settings and searches accept: two letters, then three, in the order in
// which messages list them, and the three-letter code each stands for.

const TWO_LETTER_LINES =
  'af afr ak aka am amh ar ara az aze be bel bn ben bg bul ca cat cs ces da dan de deu el ell ' +
  'en eng eo epo et est fi fin fr fra gu guj he heb hi hin hr hrv hu hun hy hye id ind it ita ' +
  'jv jav ja jpn kn kan ka kat km khm ko kor la lat lv lav lt lit ml mal mr mar mk mkd my mya ' +
  'ne nep nl nld nb nob or ori pa pan fa pes pl pol pt por ro ron ru rus si sin sk slk sl slv ' +
  'sn sna es spa sr srp sv swe ta tam te tel tl tgl th tha tk tuk tr tur uk ukr ur urd uz uzb ' +
  'vi vie yi yid zh zho zu zul'

/** Two-letter codes of these three-letter ones exist; `cmn` has none of its own. */
const THREE_LETTER_ONLY = ['cmn']

const words = TWO_LETTER_LINES.split(' ')
const twoLetter = words.filter((_, i) => i % 2 === 0)
const threeLetter = [...words.filter((_, i) => i % 2 === 1), ...THREE_LETTER_ONLY]

/** Every accepted code, in the order of messages. */
export const LOCALES: readonly string[] = [...twoLetter, ...threeLetter]

/** The accepted codes as a query parameter's message lists them: each length by alphabet. */
export const LOCALES_BY_ALPHABET: readonly string[] = [
  ...[...twoLetter].sort(),
  ...[...threeLetter].sort(),
]

const CODES = new Map<string, string>()
for (let i = 0; i + 1 < words.length; i += 2) CODES.set(words[i]!, words[i + 1]!)
for (const code of threeLetter) CODES.set(code, code)

/** The three-letter code of an accepted code; undefined when it is not accepted. */
export const localeCode = (code: string): string | undefined => CODES.get(code)
