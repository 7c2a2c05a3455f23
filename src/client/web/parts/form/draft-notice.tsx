/** Offers what was typed on an earlier visit and never stored. */
import { useSignal } from '@preact/signals'
import { formatInstant, say } from '../../texts/texts.ts'
import type { FormDraft } from '../../state/form-draft.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'

/** Draws the offer, with when it was typed and whether the record is another since. */
export function DraftNotice({ draft }: { draft: FormDraft }) {
  const fault = useSignal<unknown>(undefined)
  const offered = draft.offered.value
  if (!offered) return <Fault of={fault.value} />
  const take = (): void => {
    draft.restore().catch((thrown: unknown) => (fault.value = thrown))
  }
  return (
    <div class="notice" role="status">
      <p>
        {say('draftFound', { at: formatInstant(offered.at) })}
        {draft.isOld(offered) && ` ${say('draftIsOld')}`}
      </p>
      <div class="buttons">
        <Button kind="primary" onClick={take}>
          {say('draftRestore')}
        </Button>
        <Button onClick={() => void draft.discard()}>{say('draftDiscard')}</Button>
      </div>
    </div>
  )
}
