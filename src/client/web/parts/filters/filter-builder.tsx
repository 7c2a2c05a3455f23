/** The dialog that builds filters: rows of field, comparison and value, in groups of all or any. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { gridQuery } from '../../state/grid-query.ts'
import { loadValueLabels } from '../../state/value-labels.ts'
import { Builder } from './builder.ts'
import { ConditionRow } from './condition-row.tsx'
import { type DraftGroup, isDraftGroup, takesCondition, takesGroup } from './filter-draft.ts'
import { listLabelled } from './filter-labels.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Fault } from '../fault.tsx'
import { Icon } from '../icon.tsx'

interface BuilderProps {
  metadata: Schemas['MetadataResult']
  /** The number of the filter to begin with; behind the last one a new one is added. */
  at: number
  onClose(): void
}

/** Labels that the editors of a list show at first. */
const LABELS_MAX = 50

/** Draws the dialog; it closes once the server has taken the filters. */
export function FilterBuilder({ metadata, at, onClose }: BuilderProps) {
  const builder = useMemo(() => new Builder(metadata, at), [])
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    builder.begin(form.current)
    const { filters } = gridQuery.peek()
    loadValueLabels(listLabelled(metadata, filters, LABELS_MAX)).catch(() => undefined)
  }, [])
  const apply = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (await builder.apply()) onClose()
  }
  return (
    <Dialog label={say('filterBuilder')} isLarge onClose={onClose}>
      <form
        class="dialog-form filter-builder"
        ref={form}
        noValidate
        onSubmit={(event) => void apply(event)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void apply(event)
        }}
      >
        <h2>{say('filterBuilder')}</h2>
        <Fault of={builder.refusal.value} />
        <GroupBox builder={builder} group={builder.root.value} level={1} />
        <div class="buttons">
          <Button kind="primary" isSubmit>
            {say('applyFilters')}
          </Button>
          <Button onClick={onClose}>{say('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

interface GroupProps {
  builder: Builder
  group: DraftGroup
  /** 1 for the outermost. */
  level: number
}

/** A group: how its parts are joined, each of them, and what may be added. */
function GroupBox({ builder, group, level }: GroupProps) {
  const root = builder.root.value
  const isOutermost = level === 1
  return (
    <div
      class={isOutermost ? 'filter-group outermost' : 'filter-group'}
      role="group"
      aria-label={say(group.logic === 'or' ? 'matchOr' : 'matchAnd')}
      data-node={group.id}
    >
      {(!isOutermost || group.nodes.length > 1) && (
        <div class="filter-group-head">
          <LogicChoice builder={builder} group={group} />
          {!isOutermost && (
            <button
              class="icon-button"
              type="button"
              title={say('removeGroup')}
              aria-label={say('removeGroup')}
              onClick={() => builder.remove(group.id)}
            >
              <Icon name="x" />
            </button>
          )}
        </div>
      )}
      {group.nodes.map((node) =>
        isDraftGroup(node) ? (
          <GroupBox key={node.id} builder={builder} group={node} level={level + 1} />
        ) : (
          <ConditionRow key={node.id} builder={builder} condition={node} />
        ),
      )}
      <div class="buttons">
        {takesCondition(root) && (
          <Button kind="quiet" onClick={() => builder.addCondition(group.id)}>
            <Icon name="plus" />
            {say('addCondition')}
          </Button>
        )}
        {takesGroup(root, level) && (
          <Button kind="quiet" onClick={() => builder.addGroup(group.id)}>
            <Icon name="layers" />
            {say('addGroup')}
          </Button>
        )}
      </div>
    </div>
  )
}

const LOGICS = ['and', 'or'] as const
const LOGIC_TEXTS = { and: 'matchAnd', or: 'matchOr' } as const

function LogicChoice({ builder, group }: Omit<GroupProps, 'level'>) {
  return (
    <select
      class="select"
      aria-label={say('matchHow')}
      value={group.logic}
      onChange={({ currentTarget: { value } }) =>
        builder.join(group.id, LOGICS.find((each) => each === value) ?? 'and')
      }
    >
      {LOGICS.map((each) => (
        <option key={each} value={each}>
          {say(LOGIC_TEXTS[each])}
        </option>
      ))}
    </select>
  )
}
