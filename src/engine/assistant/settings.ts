/** Settings of the assistant for operators. */
import { choice, DAY, duration } from '../../kernel/setting.ts'

export const ASSISTANT = {
  provider: choice(
    'Svc:Assistant:Provider',
    'What answers: `builtin`, which needs no network, or `openai` for any server of that protocol',
    ['builtin', 'openai'],
    'builtin',
  ),
  retention: duration(
    'Svc:Assistant:Retention',
    'How long a conversation is kept after its last question',
    90 * DAY,
    [DAY, 3650 * DAY],
  ),
}
