/** Offers what was typed on earlier visits, or in other tabs, and never stored. */
import { useSignal } from '@preact/signals'
import { formatInstant, say } from '../../texts/texts.ts'
import type { KeptDraft } from '../../state/drafts.ts'
import type { FormDraft } from '../../state/form-draft.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'

/** Drafts that are offered at once; the next ones follow as these are answered. */
const SHOWN_MAX = 3

/** Draws the offers, with when each was typed and whether the record is another since. */
export function DraftNotice({ draft }: { draft: FormDraft }) {
  const fault = useSignal<unknown>(undefined)
  const take = (kept: KeptDraft): void => {
    draft.restore(kept).catch((thrown: unknown) => (fault.value = thrown))
  }
  return (
    <>
      <Fault of={fault.value} />
      {draft.offered.value.slice(0, SHOWN_MAX).map((kept) => (
        <div key={kept.name} class="notice" role="status">
          <p>
            {say('draftFound', { at: formatInstant(kept.draft.at) })}
            {draft.isOld(kept.draft) && ` ${say('draftIsOld')}`}
          </p>
          <div class="buttons">
            <Button kind="primary" onClick={() => take(kept)}>
              {say('draftRestore')}
            </Button>
            <Button onClick={() => void draft.discard(kept)}>{say('draftDiscard')}</Button>
          </div>
        </div>
      ))}
    </>
  )
}
