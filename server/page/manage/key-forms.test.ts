// The actions that the form of a key offers. In a file of its own: the page reads the description
// of the API once.
import { expect, it } from 'vitest'
import { stubServer } from '../test-dom.ts'
import { readActions } from './key-forms.ts'
import { openPages } from './test-site.ts'

openPages()

it('a server that does not describe its keys names no actions', async () => {
  stubServer({ 'GET /openapi.json': { paths: {} } })
  expect(await readActions()).toEqual([])
})
