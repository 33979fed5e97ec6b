// The tokens of a text as OpenAI's embedding models count them (cl100k), for texts that are too
// long for these models.
import type { Tiktoken } from 'js-tiktoken/lite'

/** Largest number of tokens that is sent; these models accept 8191. */
const OPENAI_TOKENS_MAX = 8191
/**
 * Characters that are tokenized in one call: the library's time grows with the square of a word's
 * length.
 */
const PIECE_LENGTH = 1000
/** Length of the pieces of a word without spaces. */
const WORD_LENGTH = 200

let loading: Promise<Tiktoken> | null = null

/** Loads the library with the first long text: its table has 100,000 entries. */
const loadTokens = (): Promise<Tiktoken> => {
  loading ??= Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/cl100k_base'),
  ]).then(([library, { default: ranks }]) => new library.Tiktoken(ranks))
  return loading
}

/** Returns as many first tokens as a model accepts, or null if the text has fewer. */
export async function firstTokens(
  text: string,
  count: number = OPENAI_TOKENS_MAX,
): Promise<Uint32Array | null> {
  const library = await loadTokens()
  const tokens: number[] = []
  for (const piece of pieces(text)) {
    tokens.push(...library.encode(piece, [], []))
    if (tokens.length >= count) return Uint32Array.from(tokens.slice(0, count))
  }
  return null
}

/** Cuts before a word, where a token ends anyway; words that are too long are cut as well. */
function* pieces(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_LENGTH < text.length ? endOfPiece(text, at) : text.length
    yield text.slice(at, end)
    at = end
  }
}

function endOfPiece(text: string, at: number): number {
  const most = at + PIECE_LENGTH
  for (let space = text.lastIndexOf(' ', most); space > at; ) {
    if (/\S \S/.test(text.slice(space - 1, space + 2))) return space
    space = text.lastIndexOf(' ', space - 1)
  }
  const end = at + WORD_LENGTH
  return /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end
}
