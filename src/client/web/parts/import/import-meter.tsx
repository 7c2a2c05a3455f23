/** How far an import is, in words and as a bar. */
import { say } from '../../texts/texts.ts'
import type { ImportProgress } from './import-wire.ts'

const describe: Readonly<Record<ImportProgress['stage'], (progress: ImportProgress) => string>> = {
  sending: () => say('importSending'),
  waiting: () => say('importWaiting'),
  reading: ({ done }) => say('importReadRows', { count: done }),
  writing: ({ done, total }) => say('importWrittenRows', { done, total: total ?? done }),
}

interface MeterProps {
  of: ImportProgress | undefined
  /** Shown until there is a progress. */
  text: string
}

/** Draws the progress; without a total the bar only moves. */
export function ImportMeter({ of, text }: MeterProps) {
  const hasTotal = of?.total !== undefined && of.stage !== 'waiting'
  return (
    <div class="import-meter">
      <p>{text}</p>
      <progress
        aria-label={text}
        max={hasTotal ? of.total : undefined}
        value={hasTotal ? of.done : undefined}
      />
      <p class="quiet" role="status">
        {of ? describe[of.stage](of) : ''}
      </p>
    </div>
  )
}
