// The texts about chats: the settings of a workspace, and completions in the form of OpenAI.
import { MIN_TASK_TEXTS } from './searches.table.ts'
import type { Texts } from './text.ts'

export const CHAT_TEXTS: Texts = {
  source: 'The provider of the model.',
  orgId: 'The organisation at the provider, which is sent as a header.',
  projectId: 'The project at the provider, which is sent as a header.',
  apiVersion: 'For Azure: the version of its API.',
  deploymentId: 'For Azure: the deployment of the model.',
  baseUrl: 'The address of the provider. If absent, the usual address of the source.',
  apiKey: 'The key of the provider. Answers show it masked.',
  prompts: {
    about: 'Instructions for the model. null resets an instruction to its default.',
    members: {
      system: 'The instructions before the conversation.',
      searchDescription: 'The description of the function that searches.',
      searchQParam: 'The description of the parameter `q` of this function.',
      searchFilterParam: 'The description of the parameter `filter` of this function.',
      searchIndexUidParam: 'The description of the parameter `index_uid` of this function.',
    },
  },
}

const CALL_TEXTS: Texts = {
  name: 'Name of the function.',
  arguments: 'The arguments, as JSON text.',
}

const MESSAGE_TEXTS: Texts = {
  role: 'Who speaks: `developer`, `system`, `user`, `assistant`, `tool` or `function`.',
  content: {
    about: 'The text, or a list of parts.',
    members: {
      type: 'The kind of the part.',
      text: 'The text of the part.',
      image_url: {
        about: 'A picture.',
        members: { url: 'Its address.', detail: 'How closely the model looks at it.' },
      },
      input_audio: {
        about: 'A recording.',
        members: { data: 'Its bytes in base64.', format: 'Its format.' },
      },
      file: 'A file, as the provider takes it.',
      refusal: 'The reason why the model refused to answer.',
    },
  },
  name: 'Name of the speaker, or of the function.',
  refusal: 'The reason why the model refused to answer.',
  audio: { about: 'An earlier spoken answer.', members: { id: 'Its id.' } },
  tool_calls: {
    about: 'The functions that the model called.',
    members: {
      id: 'The id of the call.',
      type: 'The kind of the call.',
      function: { about: 'The call.', members: CALL_TEXTS },
    },
  },
  function_call: { about: 'The older form of `tool_calls`.', members: CALL_TEXTS },
  tool_call_id: 'The id of the call that has this result.',
}

const PASSED = 'Passed to the model unchanged.'

export const COMPLETION_TEXTS: Texts = {
  ...MIN_TASK_TEXTS,
  messages: { about: 'The conversation so far.', members: MESSAGE_TEXTS },
  model: 'Name of the model at the provider.',
  stream: 'True sends the answer while the model writes it.',
  n: 'The number of alternative answers.',
  stream_options: 'Options of the stream.',
  tools: {
    about: 'Functions that the client offers: only the report functions of this server.',
    members: {
      type: 'The kind of the tool.',
      function: { about: 'The function.', members: { name: 'Name of the function.' } },
    },
  },
  audio: PASSED,
  frequency_penalty: `Makes repeated words less likely. ${PASSED}`,
  logit_bias: `Makes tokens more or less likely. ${PASSED}`,
  logprobs: `Whether the probabilities of tokens are returned. ${PASSED}`,
  max_completion_tokens: `The largest number of tokens in the answer. ${PASSED}`,
  max_tokens: `The older form of \`max_completion_tokens\`. ${PASSED}`,
  metadata: PASSED,
  modalities: `The kinds of output. ${PASSED}`,
  parallel_tool_calls: `Whether the model may call several functions at once. ${PASSED}`,
  prediction: `The expected output. ${PASSED}`,
  presence_penalty: `Makes words that already occur less likely. ${PASSED}`,
  prompt_cache_key: PASSED,
  reasoning_effort: `How long the model thinks. ${PASSED}`,
  response_format: `The form of the answer. ${PASSED}`,
  safety_identifier: PASSED,
  seed: `Makes answers repeatable, if the model can. ${PASSED}`,
  service_tier: PASSED,
  stop: `Texts that end the answer. ${PASSED}`,
  store: PASSED,
  temperature: `How varied the answer is. ${PASSED}`,
  tool_choice: `The function that the model has to call. ${PASSED}`,
  top_logprobs: `The number of most probable tokens that are returned for each place. ${PASSED}`,
  top_p: `How varied the answer is. ${PASSED}`,
  user: `The user who gets the answer. ${PASSED}`,
  verbosity: `How long the answer is. ${PASSED}`,
  web_search_options: PASSED,
}
