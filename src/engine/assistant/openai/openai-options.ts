/** `Svc:Assistant:*` of the provider `openai`: any server that speaks its protocol. */
import { bytes, integer, MB, SECOND, text } from '../../../kernel/setting.ts'
import { SettingError, type Settings } from '../../../kernel/settings.ts'

export const ASSISTANT_OPENAI = {
  baseUrl: text(
    'Svc:Assistant:BaseUrl',
    'Address of an OpenAI-compatible server, as https://llm.corp.local/v1',
    '',
    { pattern: /^https?:\/\/[^\s@?#/]+[^\s@?#]*$/i, expected: 'an http or https address' },
  ),
  model: text('Svc:Assistant:Model', 'The model there, by the name that the server knows', ''),
  apiKey: {
    ...text('Svc:Assistant:ApiKey', 'Key at that server; one of your own may need none', '', {
      pattern: /^[\x21-\x7e]+$/,
      expected: 'a key of visible ASCII characters',
    }),
    isSecret: true,
  },
  timeoutSeconds: integer(
    'Svc:Assistant:TimeoutSeconds',
    'Seconds that a whole answer may take; its server may be silent for half of them',
    120,
    [1, 600],
  ),
  retries: integer(
    'Svc:Assistant:Retries',
    'How often a request is sent again to a server that is busy, fails or is not reached',
    2,
    [0, 10],
  ),
  tokensPerDay: integer(
    'Svc:Assistant:TokensPerDay',
    'Tokens that one user may use in a day of UTC, in and out together',
    500_000,
    [1, 1_000_000_000_000],
  ),
  contextBytes: bytes(
    'Svc:Assistant:ContextBytes',
    'Bytes of one request to the model; of what is more, earlier exchanges go first',
    64 * 1024,
    [24 * 1024, 16 * MB],
  ),
}

/** The options that the provider works with. */
export interface OpenaiOptions {
  baseUrl: string
  model: string
  /** The key; requests carry none where it is empty. */
  apiKey: string
  /** Time of a whole answer, all its requests and tools. */
  timeoutMs: number
  /** The longest that the server may send nothing. */
  silenceMs: number
  retries: number
  tokensPerDay: number
  contextBytes: number
}

/** @throws SettingError where address or model are not set */
export function readOpenaiOptions(settings: Settings): OpenaiOptions {
  const [baseUrl, model] = [
    settings.get(ASSISTANT_OPENAI.baseUrl),
    settings.get(ASSISTANT_OPENAI.model),
  ]
  if (baseUrl === '' || model === '')
    throw new SettingError(
      'The provider openai needs Svc:Assistant:BaseUrl and Svc:Assistant:Model',
    )
  const timeoutMs = settings.get(ASSISTANT_OPENAI.timeoutSeconds) * SECOND
  return {
    baseUrl,
    model,
    timeoutMs,
    silenceMs: Math.ceil(timeoutMs / 2),
    apiKey: settings.get(ASSISTANT_OPENAI.apiKey),
    retries: settings.get(ASSISTANT_OPENAI.retries),
    tokensPerDay: settings.get(ASSISTANT_OPENAI.tokensPerDay),
    contextBytes: settings.get(ASSISTANT_OPENAI.contextBytes),
  }
}
