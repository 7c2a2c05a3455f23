/** What operators decide of the assistant. */
import { choice, DAY, duration, integer, MINUTE, SECOND, text } from '../../kernel/setting.ts'

export const ASSISTANT = {
  provider: choice(
    'Svc:Assistant:Provider',
    'What answers: `builtin`, which needs no network, or `openai` for any server of that protocol',
    ['builtin', 'openai'],
    'builtin',
  ),
  baseUrl: text(
    'Svc:Assistant:BaseUrl',
    'Address of the server of the provider openai, as http://127.0.0.1:11434/v1',
    'https://api.openai.com/v1',
    { pattern: /^https?:\/\/[^\s?#]+$/, expected: 'an http or https address' },
  ),
  model: text('Svc:Assistant:Model', 'Its model', ''),
  apiKey: { ...text('Svc:Assistant:ApiKey', 'Its key', ''), isSecret: true },
  timeout: duration(
    'Svc:Assistant:Timeout',
    'How long the server of the provider openai may be silent',
    MINUTE,
    [SECOND, 10 * MINUTE],
  ),
  tokensPerDay: integer(
    'Svc:Assistant:TokensPerDay',
    'Tokens that a user may spend in a day (UTC) at the provider openai',
    200_000,
    [1000, 1_000_000_000],
  ),
  retention: duration(
    'Svc:Assistant:Retention',
    'How long a conversation is kept after its last question',
    90 * DAY,
    [DAY, 3650 * DAY],
  ),
}
