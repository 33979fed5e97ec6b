// Tokens of long texts: equal to the library's tokens of the whole text, in time that grows
// linearly with the text.
import { Tiktoken } from 'js-tiktoken/lite'
import ranks from 'js-tiktoken/ranks/cl100k_base'
import { expect, test } from 'vitest'
import { firstTokens } from './tokens.ts'

const library = new Tiktoken(ranks)

test.each([
  [
    'words',
    'The quick brown fox, who was 31415 years old, jumped!  Twice.\n\n It did. '.repeat(90),
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code as text
  ['code', 'if (a  ===\tb) {\n    return `x${y}` // ok\n}\n\n'.repeat(120)],
  ['other scripts', 'Привет, мир! Καλημέρα κόσμε. नमस्ते दुनिया 👋🏽 '.repeat(80)],
])('of %s are those of the whole text', async (_, text) => {
  const all = library.encode(text, [], [])
  expect([...(await firstTokens(text, 1000))!]).toEqual(all.slice(0, 1000))
  expect(await firstTokens(text, all.length + 1)).toBeNull()
  expect((await firstTokens(text, all.length))!.length).toBe(all.length)
})

test('one word of a million letters has tokens', async () => {
  expect((await firstTokens('lorem'.repeat(200_000)))!.length).toBe(8191)
})

test('control tokens of a model in a text are ordinary text', async () => {
  expect(await firstTokens('<|endoftext|>')).toBeNull()
})

test('a word of pairs of surrogates is cut between two of them', async () => {
  for (const before of ['', 'x']) {
    const text = before + '👋'.repeat(2000)
    const found = library.decode([...(await firstTokens(text, 1000))!])
    const whole = found.replace(/\ufffd+$/, '')
    // Several pieces of 200 units.
    expect(whole.length).toBeGreaterThan(400)
    expect(text.slice(0, whole.length)).toBe(whole)
  }
})
