// How many rows a search by vector compares exactly: those whose codes promise the most.

/**
 * Rows that are compared exactly: so many times the hits wanted, and at least so many. On 20,000
 * sentences (MiniLM, 384 dimensions) the ten nearest are among the 200 best estimates always, the
 * hundred nearest among the 800 best but for one in a thousand.
 */
const CANDIDATES_EACH = 8
export const CANDIDATES_MIN = 200
/**
 * Among more rows more estimates come close: with each doubling so much is added. Of 1,000,000 rows
 * of 96 dimensions the ten nearest are found at 99 % without it, and always with it.
 */
const CANDIDATES_ROWS = 20_000
const CANDIDATES_GROWTH = 0.25

/** How many rows are compared exactly for so many hits, of so many rows. */
export function candidatesOf(count: number, rows: number): number {
  const doublings = Math.max(0, Math.log2(rows / CANDIDATES_ROWS))
  const few = Math.max(CANDIDATES_MIN, CANDIDATES_EACH * count)
  return Math.ceil(few * (1 + CANDIDATES_GROWTH * doublings))
}
