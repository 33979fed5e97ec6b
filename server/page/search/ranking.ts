// The ranking score details of a hit, in the order in which the ranking rules were applied.

export type RuleScore = {
  readonly rule: string
  /** Score, 0 to 1, or null if the rule has no score, as with sorting. */
  readonly score: number | null
  /** Other details of the rule as short texts. */
  readonly notes: readonly string[]
  /** The words or boosts that a score is made of. */
  readonly parts: readonly ScorePart[]
}

/** `share`: the length of its bar, 0 to 1. */
export type ScorePart = { readonly name: string; readonly share: number; readonly text: string }

type Details = { readonly [rule: string]: Members }

/** `hasStems`: whether a word may count as a typo because it has the stem of another. */
export function ruleScores(details: unknown, hasStems = false): readonly RuleScore[] {
  if (typeof details !== 'object' || details === null) return []
  return Object.entries(details as Details)
    .filter(([, rule]) => typeof rule === 'object' && rule !== null)
    .map(([rule, members]) => ({ rule, members, order: orderOf(members) }))
    .sort((a, b) => a.order - b.order)
    .map(({ rule, members }) => ({
      rule: rule === 'scale' ? 'boosts' : rule,
      score: typeof members['score'] === 'number' ? members['score'] : null,
      notes: notesOf(members, hasStems),
      parts: [...wordParts(members), ...boostParts(members)],
    }))
}

type Members = { readonly [member: string]: unknown }

const orderOf = (members: Members): number =>
  typeof members['order'] === 'number' ? members['order'] : Number.MAX_SAFE_INTEGER

function notesOf(members: Members, hasStems: boolean): readonly string[] {
  const {
    matchingWords,
    maxMatchingWords,
    typoCount,
    maxTypoCount,
    bm25,
    words: __,
    otherForms,
    ...rest
  } = members
  const { rules, boosts: _, weight, ...others } = rest
  const notes: string[] = []
  if (maxMatchingWords !== undefined) notes.push(`${matchingWords} of ${maxMatchingWords} words`)
  if (maxTypoCount !== undefined) {
    const noun = `${typoCount === 1 ? 'typo' : 'typos'}${hasStems ? ' or other forms' : ''}`
    notes.push(`${typoCount} ${noun} of at most ${maxTypoCount}`)
  }
  if (Array.isArray(otherForms)) notes.push(`another form of ${otherForms.join(', ')}`)
  if (bm25 !== undefined) notes.push(`${fixed(bm25)}, the sum of its words`)
  if (weight !== undefined) notes.push(`the score × ${fixed(weight)}`)
  if (Array.isArray(rules) && rules.length > 0) notes.push(`rules ${rules.join(', ')}`)
  for (const [name, value] of Object.entries(others)) {
    if (name === 'order' || name === 'score') continue
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    notes.push(`${words} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`)
  }
  return notes
}

const fixed = (value: unknown): string => Number(value).toFixed(2)

const listIn = (value: unknown): readonly Members[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []

/** The words of a `bm25` score, with what each adds. */
function wordParts({ bm25, words }: Members): readonly ScorePart[] {
  return listIn(words).map(({ word, idf, frequency, contribution }) => ({
    name: `“${word}”`,
    share: Number(contribution) / Number(bm25),
    text: `${fixed(contribution)}: rarity ${fixed(idf)}, occurs ${fixed(frequency)} times`,
  }))
}

/** The boosts of a document; the bar of a factor ends at the largest one, or at 1. */
function boostParts({ boosts }: Members): readonly ScorePart[] {
  const all = listIn(boosts)
  const most = Math.max(1, ...all.map(({ factor }) => Number(factor)))
  return all.map(({ position, factor }) => ({
    name: `boost ${Number(position) + 1}`,
    share: Number(factor) / most,
    text: `× ${fixed(factor)}`,
  }))
}
