/** The menu of saved views over a grid: which is shown, whether it was changed, and what to do. */
import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { describeFault } from '../../api/told-error.ts'
import { place } from '../../state/address.ts'
import { notify } from '../../state/notices.ts'
import {
  deleteView,
  isViewChanged,
  loadViews,
  openedView,
  openView,
  type SavedView,
  savedViews,
  saveView,
} from '../../state/saved-views.ts'
import { Menu, type MenuItem } from '../menu.tsx'
import type { ViewDialog } from './view-dialog.tsx'

/** The dialog comes when it is opened for the first time. */
const loadedDialog = signal<typeof ViewDialog | undefined>(undefined)

/** Tells what went wrong over the place. */
const tell = (thrown: unknown): void => notify(describeFault(thrown), 'error')

/** Draws the menu of an object's views; a bare address shows the default one. */
export function ViewMenu({ object }: { object: string }) {
  const asked = useSignal<{ view: SavedView | undefined } | undefined>(undefined)
  useEffect(() => {
    savedViews.value = []
    const isBare = place.peek().query.size === 0
    loadViews(object).then(() => {
      const own = savedViews.peek().find((view) => view.Default)
      if (isBare && place.peek().query.size === 0 && own) openView(own, { replace: true })
    }, tell)
  }, [object])
  const ask = async (view: SavedView | undefined): Promise<void> => {
    loadedDialog.value ??= (await import('./view-dialog.tsx')).ViewDialog
    asked.value = { view }
  }
  const Dialog = loadedDialog.value
  const opened = openedView.value
  const name = opened?.Name ?? say('allRows')
  return (
    <>
      <Menu
        label={`${say('view')}: ${name}${isViewChanged.value ? ' •' : ''}`}
        items={planItems(opened, (view) => void ask(view))}
      />
      {opened?.IsPartial === true && (
        <span class="chip" title={opened.Ignored.join(', ')}>
          {say('viewPartial')}
        </span>
      )}
      {asked.value && Dialog && (
        <Dialog object={object} view={asked.value.view} onClose={() => (asked.value = undefined)} />
      )}
    </>
  )
}

function planItems(
  opened: SavedView | undefined,
  ask: (view: SavedView | undefined) => void,
): MenuItem[] {
  const others = savedViews.value.filter(({ Id }) => Id !== opened?.Id)
  const items: MenuItem[] = [
    { text: say('allRows'), run: () => openView(undefined) },
    ...others.map((view) => ({ text: view.Name, run: () => openView(view) })),
  ]
  if (opened && isViewChanged.value)
    items.push(
      { text: say('viewReset', { name: opened.Name }), run: () => openView(opened) },
      {
        text: say('viewSave', { name: opened.Name }),
        reason: opened.CanChange ? undefined : say('viewOfOthers'),
        run: () => void saveView(opened).catch(tell),
      },
    )
  items.push({ text: say('viewSaveAs'), run: () => ask(undefined) })
  if (opened?.CanChange)
    items.push({ text: say('viewChange', { name: opened.Name }), run: () => ask(opened) })
  if (opened?.CanDelete)
    items.push({
      text: say('viewDelete', { name: opened.Name }),
      isDanger: true,
      run: () => void deleteView(opened).catch(tell),
    })
  return items
}
