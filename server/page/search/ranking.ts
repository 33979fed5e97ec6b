// The ranking score details of a hit, in the order in which the ranking rules were applied.

export type RuleScore = {
  readonly rule: string
  /** Score, 0 to 1, or null if the rule has no score, as with sorting. */
  readonly score: number | null
  /** Other details of the rule as short texts. */
  readonly notes: readonly string[]
}

type Details = { readonly [rule: string]: { readonly [member: string]: unknown } }

export function ruleScores(details: unknown): readonly RuleScore[] {
  if (typeof details !== 'object' || details === null) return []
  return Object.entries(details as Details)
    .filter(([, rule]) => typeof rule === 'object' && rule !== null)
    .map(([rule, members]) => ({ rule, members, order: orderOf(members) }))
    .sort((a, b) => a.order - b.order)
    .map(({ rule, members }) => ({
      rule,
      score: typeof members['score'] === 'number' ? members['score'] : null,
      notes: notesOf(members),
    }))
}

const orderOf = (members: { readonly [member: string]: unknown }): number =>
  typeof members['order'] === 'number' ? members['order'] : Number.MAX_SAFE_INTEGER

function notesOf(members: { readonly [member: string]: unknown }): readonly string[] {
  const { matchingWords, maxMatchingWords, typoCount, maxTypoCount, ...others } = members
  const notes: string[] = []
  if (maxMatchingWords !== undefined) notes.push(`${matchingWords} of ${maxMatchingWords} words`)
  if (maxTypoCount !== undefined) {
    notes.push(`${typoCount} ${typoCount === 1 ? 'typo' : 'typos'} of at most ${maxTypoCount}`)
  }
  for (const [name, value] of Object.entries(others)) {
    if (name === 'order' || name === 'score') continue
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    notes.push(`${words} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`)
  }
  return notes
}
