// Messages that are shown instead of a view: no index yet, no documents, an error, a missing key.
import { command } from './copy-button.ts'
import { type Child, h } from './element.ts'
import { isReadOnly } from './options.ts'
import { type ServerError, serverUrl } from './server.ts'
import type { Site } from './site.ts'
import { plural } from './words.ts'

const additionCommand = (index: string): string =>
  [
    `curl -X POST '${serverUrl()}/indexes/${index}/documents' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '[{"id": 1, "title": "A quiet harbour", "year": 1962},`,
    `       {"id": 2, "title": "Mountains of the moon", "year": 1990}]'`,
  ].join('\n')

const uploadButton = (site: Site, index: string): Child =>
  !isReadOnly() &&
  h(
    'button',
    { class: 'primary', type: 'button', onclick: () => site.addDocuments(index) },
    'Upload a file',
  )

export const noIndexNote = (site: Site): HTMLElement =>
  notice(
    'No index yet',
    h('p', {}, 'The first documents create the index. Upload a file of JSON, NDJSON or CSV:'),
    uploadButton(site, ''),
    h('p', {}, 'Or send documents from a terminal:'),
    command(additionCommand('films')),
    h(
      'p',
      { class: 'muted' },
      'With a key: add ',
      h('code', {}, "-H 'Authorization: Bearer KEY'"),
      '.',
    ),
  )

export const emptyIndexNote = (index: string, site: Site): HTMLElement =>
  notice(
    'No documents yet',
    h('p', {}, `The index ${index} is empty. Upload a file of JSON, NDJSON or CSV:`),
    uploadButton(site, index),
    h('p', {}, 'Or send documents from a terminal:'),
    command(additionCommand(index)),
  )

/**
 * Returns the message that the index in the address does not exist, with a list of the existing
 * ones.
 */
export const unknownIndexNote = (index: string, site: Site): HTMLElement =>
  notice(
    `There is no index “${index}”`,
    h('p', {}, 'It may have been deleted or renamed, or the address has a mistake.'),
    site.indexes.length === 0
      ? [
          h('p', {}, 'There are no indexes yet. The first documents create one:'),
          uploadButton(site, index),
          command(additionCommand(index)),
        ]
      : [
          h('p', {}, 'These indexes exist:'),
          h(
            'ul',
            { class: 'choices' },
            site.indexes.map(({ uid, documents }) =>
              h(
                'li',
                {},
                h('a', { href: `#/search?${new URLSearchParams({ index: uid })}` }, uid),
                documents === null
                  ? null
                  : h('span', { class: 'muted' }, ` ${plural(documents, 'document')}`),
              ),
            ),
          ),
        ],
  )

export function errorNote(error: ServerError, site: Site): HTMLElement {
  if (error.wantsKey) return keyNote(error, site)
  const again = h(
    'button',
    { class: 'primary', type: 'button', onclick: () => site.retry() },
    'Try again',
  )
  return notice(
    error.status === 0 ? 'No answer' : 'The server refused',
    h('p', { class: 'refusal' }, error.message),
    error.code === '' || error.status === 0
      ? null
      : h('p', { class: 'muted' }, h('code', {}, error.code), ` · status ${error.status}`),
    again,
  )
}

/** Returns a form for the key: the first one, or another one if the current key was refused. */
const keyNote = (error: ServerError, site: Site): HTMLElement =>
  notice(
    'Enter an API key',
    error.status === 401
      ? h(
          'p',
          {},
          'This server is protected. Enter its master key, or an API key that you have received.',
        )
      : h(
          'p',
          {},
          'The key may be mistyped or expired, or may lack a permission. Lists of indexes need the ' +
            'action ',
          h('code', {}, 'indexes.get'),
          ', lists of tasks ',
          h('code', {}, 'tasks.get'),
          '. A key for searches alone works with an index in the address: ',
          h('code', {}, '#/search?index=NAME'),
          '.',
        ),
    site.keyForm(error.status === 401 ? null : error.message),
  )

const notice = (heading: string, ...children: readonly Child[]): HTMLElement =>
  h('div', { class: 'notice' }, h('h2', {}, heading), children)
