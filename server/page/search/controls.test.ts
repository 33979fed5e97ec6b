// The search box with its suggestions, the menu of options and the chat, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_OPTIONS } from '../parts/search-options.ts'
import { act, markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { mark, question } from '../test-question.ts'
import { ChatView } from './chat-view.ts'
import { modelOf, rememberModel } from './models.ts'
import { OptionsMenu } from './options-menu.ts'
import { QueryBox } from './query-box.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

describe('the search box', () => {
  const SUGGESTIONS = [
    { text: 'lamp', highlighted: `${mark('la')}mp`, hits: 1200 },
    { text: 'lane', highlighted: 'lane', hits: 1 },
  ]
  function made(suggestions: unknown = SUGGESTIONS) {
    const asked = stubServer({ 'POST /indexes/wares/suggest': { suggestions } })
    const searches: string[] = []
    const keys: string[] = []
    const box = new QueryBox({
      question: () => question({ ticked: new Map([['brand', new Set(['a'])]]) }),
      search: (q) => searches.push(q),
      onKey: ({ key }) => keys.push(key),
    })
    document.body.append(box.element)
    const { input } = box
    const list = box.element.querySelector('ul')!
    const type = async (text: string): Promise<void> => {
      input.focus()
      input.value = text
      act(input, 'input')
      await settled()
    }
    const press = (key: string, more: object = {}): boolean =>
      act(input, 'keydown', { key, isComposing: false, ...more }).defaultPrevented
    const active = (): string | null => input.getAttribute('aria-activedescendant')
    return { box, asked, searches, keys, input, list, type, press, active }
  }

  it('asks for suggestions with the filters of the search', async () => {
    const { asked, searches, list, type, input } = made()
    expect(markup(input.parentElement!)).toMatchInlineSnapshot(`
      "<div class="query-place">
        <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
          <path d="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.2 16.2 21 21">
        <input id="query" class="query" dir="auto" type="search" role="combobox" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="search" placeholder="Search" aria-label="Search the index" aria-controls="hits" aria-expanded="true" aria-autocomplete="list" aria-keyshortcuts="/" aria-describedby="keys-hint">
        <kbd class="slash" aria-hidden="true">/
        <span class="keys-hint" id="keys-hint">
          <kbd>↑
          <kbd>↓
          " choose "
          <kbd>Enter
          " open"
        <ul class="suggestions" id="suggestions" role="listbox" aria-label="Suggestions" hidden>
      "
    `)
    await type('la')
    expect(searches).toEqual(['la'])
    expect(asked.map(([, body]) => body)).toMatchObject([
      { q: 'la', limit: 6, filter: ['"brand" IN ["a"]'] },
    ])
    expect(markup(list)).toMatchInlineSnapshot(`
      "<ul class="suggestions" id="suggestions" role="listbox" aria-label="Suggestions">
        <li class="suggestion" role="option" id="suggestion-0" aria-selected="false" aria-label="lamp">
          <span class="suggestion-text">
            <mark>la
            "mp"
          <span class="muted">1,200
        <li class="suggestion" role="option" id="suggestion-1" aria-selected="false" aria-label="lane">
          <span class="suggestion-text">lane
          <span class="muted">1
      "
    `)
    expect(input.getAttribute('aria-controls')).toBe('suggestions')
    list.querySelectorAll('li')[1]!.click()
    expect([searches, list.getAttribute('hidden')]).toEqual([['la', 'lane'], ''])
    expect(list.children[0]).toBeUndefined()
    await type('x')
    expect(act(list.firstElementChild!, 'pointerdown').defaultPrevented).toBe(true)
  })

  it('uses keys while suggestions are shown', async () => {
    const { searches, keys, list, type, press, active } = made()
    expect([press('ArrowDown'), keys]).toEqual([false, ['ArrowDown']])
    await type('la')
    const selected = (): unknown[] =>
      [...list.children].map((one) => one.getAttribute('aria-selected') === 'true')
    press('ArrowUp')
    expect([press('ArrowDown'), active(), selected()]).toEqual([
      true,
      'suggestion-0',
      [true, false],
    ])
    press('ArrowDown')
    expect([active(), selected()]).toEqual(['suggestion-1', [false, true]])
    press('ArrowUp')
    expect(active()).toBe('suggestion-0')
    press('ArrowUp')
    expect(active()).toBeNull()
    press('ArrowDown', { isComposing: true })
    expect(active()).toBeNull()
    press('ArrowDown')
    expect([press('Enter'), searches, list.getAttribute('hidden')]).toEqual([
      true,
      ['la', 'lamp'],
      '',
    ])
    expect(keys).toEqual(['ArrowDown', 'ArrowUp', 'ArrowDown'])
  })

  it.each([
    ['Escape', true],
    ['Enter', false],
  ])('closes the list by %s, which is for the list alone: %s', async (key, isForList) => {
    const { keys, list, type, press } = made()
    await type('la')
    expect(press(key)).toBe(isForList)
    expect([list.getAttribute('hidden'), keys]).toEqual(['', isForList ? [] : [key]])
  })

  it('goes on to the hits below the last suggestion', async () => {
    const { keys, list, type, press } = made()
    await type('la')
    press('ArrowDown')
    press('ArrowDown')
    expect(press('ArrowDown')).toBe(false)
    expect([keys, list.getAttribute('hidden')]).toEqual([['ArrowDown'], ''])
  })

  it('shows no suggestions to a box without the focus, or after a refusal', async () => {
    const { list, input, type } = made()
    const typed = type('la')
    input.blur()
    await typed
    expect(list.getAttribute('hidden')).toBe('')
    await type('la')
    expect(list.getAttribute('hidden')).toBeNull()
    act(input, 'blur')
    expect(list.getAttribute('hidden')).toBe('')
    await type('la')
    stubServer({})
    await type('lam')
    expect(list.getAttribute('hidden')).toBe('')
  })
})

describe('the menu of options', () => {
  const made = () => {
    const changes: unknown[] = []
    const menu = new OptionsMenu((options) => changes.push(options))
    const { element } = menu
    document.body.append(element)
    return { menu, changes, element, summary: element.querySelector('summary')! }
  }

  it('counts what differs from the defaults', () => {
    const { menu, summary, element } = made()
    const text = (change: object, isHybrid = true): string => {
      menu.show({ ...DEFAULT_OPTIONS, ...change }, isHybrid)
      return summary.textContent
    }
    expect(text({})).toBe('Options')
    expect(markup(element)).toMatchInlineSnapshot(`
      "<details class="options">
        <summary class="quiet small">Options
        <div class="options-panel">
          <label class="field">
            "A hit may lack"
            <select>
              <option value="last">Words at the end of the query
              <option value="all">No words
              <option value="frequency">The most frequent words
              <option value="any">All words but one
          <label class="field">
            "Words and meaning are merged"
            <select>
              <option value="score">By their scores
              <option value="rrf">By their ranks
          <label class="check">
            <input type="checkbox">
            <span>
              "Operators:"
              " "
              <code>AND
              " "
              <code>OR
              " "
              <code>NOT
              " "
              <code>+
              " "
              <code>-
          <label class="check">
            <input type="checkbox">
            "Exact number of hits"
      "
    `)
    const selected = () => [...element.querySelectorAll('select')].map(({ value }) => value)
    expect(selected()).toEqual(['last', 'score'])
    expect(text({ strategy: 'all', isExact: true, fusion: 'rrf' })).toBe('Options (3)')
    expect(selected()).toEqual(['all', 'rrf'])
    expect(text({ strategy: 'all', isExact: true, fusion: 'rrf' }, false)).toBe('Options (2)')
    expect(element.querySelectorAll('label')[1]!.getAttribute('hidden')).toBe('')
  })

  it('tells all options after a change', () => {
    const { menu, changes, element } = made()
    menu.show({ strategy: 'any', isBoolean: true, isExact: false, fusion: 'rrf' }, true)
    act(element, 'change')
    element.querySelectorAll('input')[1]!.checked = true
    act(element, 'change')
    expect(changes).toEqual([
      { strategy: 'any', isBoolean: true, isExact: false, fusion: 'rrf' },
      { strategy: 'any', isBoolean: true, isExact: true, fusion: 'rrf' },
    ])
  })

  it('closes by Escape, and when the focus leaves it', () => {
    const { element, summary } = made()
    const press = (key: string): boolean => {
      let isStopped = false
      act(element, 'keydown', { key, stopPropagation: () => (isStopped = true) })
      return isStopped
    }
    expect(press('Escape')).toBe(false)
    element.setAttribute('open', '')
    expect([press('x'), element.getAttribute('open')]).toEqual([false, ''])
    expect([press('Escape'), element.getAttribute('open')]).toEqual([true, null])
    expect(document.activeElement).toBe(summary)
    element.setAttribute('open', '')
    act(element, 'focusout', { relatedTarget: element.querySelectorAll('select')[0] })
    act(element, 'focusout', { relatedTarget: null })
    expect(element.getAttribute('open')).toBe('')
    act(element, 'focusout', { relatedTarget: document.createElement('p') })
    expect(element.getAttribute('open')).toBeNull()
  })
})

it('the model of a workspace is remembered, or that of its provider', async () => {
  stubServer({ 'GET /chats/a/settings': { source: 'mistral' } })
  expect([await modelOf('a'), await modelOf('b')]).toEqual(['mistral-small-latest', ''])
  rememberModel('a', 'mine')
  expect(await modelOf('a')).toBe('mine')
  rememberModel('a', '')
  expect(await modelOf('a')).toBe('mistral-small-latest')
})

describe('the chat', () => {
  const call = (name: string, args: unknown) => ({
    delta: { content: null, tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] },
  })
  const stream = (...events: readonly object[]): Response =>
    new Response(
      [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'].join(''),
    )
  const choice = (one: object): object => ({ choices: [one] })
  const textEvent = (content: string): object => choice({ delta: { content, tool_calls: null } })

  async function made(events: readonly object[] = []) {
    const asked = stubServer({
      'GET /chats/shop/settings': { source: 'openAi' },
      'GET /chats/other/settings': { source: 'mistral' },
      'POST /chats/shop/chat/completions': () => stream(...events),
    })
    let makes = 0
    const chat = new ChatView(() => makes++)
    chat.offer(['shop', 'other'])
    await settled()
    const { element } = chat
    document.body.append(element)
    const input = element.querySelector('textarea')!
    const model = element.querySelector('input')!
    const select = element.querySelector('select')!
    const talk = element.querySelector('ol')!
    const ask = async (text: string): Promise<void> => {
      input.value = text
      act(input, 'keydown', { key: 'Enter' })
      await vi.waitFor(() => expect(element.querySelector('form button')!.textContent).toBe('Ask'))
    }
    return { chat, asked, element, input, model, select, talk, ask, makes: () => makes }
  }

  it('needs a workspace', async () => {
    const { chat, element, model, makes, select } = await made()
    const [empty, conversation] = element.children
    const hidden = () => [empty, conversation].map((one) => one!.getAttribute('hidden') === '')
    expect([hidden(), model.value]).toEqual([[true, false], 'gpt-4o'])
    element.querySelector('button')!.click()
    expect(makes()).toBe(1)
    select.value = 'other'
    act(select, 'change')
    await settled()
    expect(model.value).toBe('mistral-small-latest')
    chat.offer([])
    expect(hidden()).toEqual([false, true])
    document.documentElement.dataset['readOnly'] = ''
    const readOnly = new ChatView(() => undefined).element
    expect(
      [...readOnly.querySelectorAll('button')].filter((one) => one.hasAttribute('hidden')),
    ).toHaveLength(2)
  })

  it('shows searches, sources and the answer', async () => {
    const args = JSON.stringify({ index_uid: 'films', q: 'sea', filter: 'year > 1' })
    const { asked, ask, talk } = await made([
      choice(call('_meiliSearchProgress', { function_arguments: args })),
      choice(call('_meiliSearchProgress', { function_arguments: '{"index_uid":"a"}' })),
      choice(call('_meiliSearchProgress', { function_arguments: '{' })),
      choice(call('_meiliAppendConversationMessage', { role: 'tool', content: 'c' })),
      choice(call('_meiliSearchSources', { sources: [{ id: 1, title: 'Sea' }] })),
      textEvent('The *sea'),
      textEvent('*.'),
      { error: { message: 'half broken' } },
    ])
    await ask('  what? ')
    expect(markup(talk)).toMatchInlineSnapshot(`
      "<ol class="talk" aria-label="Conversation" aria-live="polite">
        <li class="said is-asked" dir="auto">what?
        <li class="said">
          <p class="muted">Searches films for “sea” where year > 1
          <p class="muted">Searches a
          <p class="muted">Searches
          <details class="sources">
            <summary>1 document
            <ul>
              <li>
                <b>Sea
                " "
                <span class="muted">id 1
          <p class="refusal">half broken
          <div class="answer" dir="auto">
            <p>
              "The "
              <em>sea
              "."
      "
    `)
    await ask('and?')
    const bodies = asked.filter(([request]) => request.startsWith('POST')).map(([, body]) => body)
    expect(bodies[1]).toMatchObject({
      model: 'gpt-4o',
      stream: true,
      messages: [
        { role: 'user', content: 'what?' },
        { role: 'tool', content: 'c' },
        { role: 'assistant', content: 'The *sea*.' },
        { role: 'user', content: 'and?' },
      ],
    })
    const { tools } = bodies[1] as { readonly tools: readonly unknown[] }
    const names = ['_meiliSearchProgress', '_meiliSearchSources', '_meiliAppendConversationMessage']
    const parameters = { type: 'object', properties: {} }
    expect(tools).toEqual(
      names.map((name) => ({
        type: 'function',
        function: { name, description: '', parameters },
      })),
    )
  })

  it('asks nothing without a text, and shows refusals', async () => {
    const { asked, ask, input, talk, element } = await made()
    const before = asked.length
    input.value = ' '
    act(input, 'keydown', { key: 'Enter' })
    for (const more of [{ key: 'x' }, { key: 'Enter', shiftKey: true }]) {
      input.value = 'text'
      expect(act(input, 'keydown', more).defaultPrevented).toBe(false)
    }
    expect(asked).toHaveLength(before)
    stubServer({})
    await ask('why?')
    expect(talk.textContent).toBe('why?no POST /chats/shop/chat/completions')
    const buttons = [...element.querySelectorAll('button')]
    buttons.find(({ textContent }) => textContent === 'New conversation')!.click()
    expect([talk.textContent, document.activeElement]).toEqual(['', input])
  })
})
