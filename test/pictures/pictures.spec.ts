/**
 * The parts in every state, and the screens in those that show most, against the pictures that are kept in `kept/`: a word, a colour or a
 * distance that nobody meant to change is seen here.
 */
import { expect, type Locator, type Page, test } from 'playwright/test'
import { shots } from '../renderer/preview/shots.ts'
import { drawStates, looks, openPreview, type Preview } from './preview.ts'

const ACCEPT = 'Where it is meant to look like that now: npm run test:pictures -- --update-snapshots changed'

/** Screens are kept in the states that show most of them. */
const kept = [
  'first',
  'overview',
  'start',
  'editor',
  'data-forms',
  'bulk',
  'drafts',
  'drafting-empty',
  'outbox',
  'outbox-batch'
]
kept.push(
  'documents',
  'documents-empty',
  'document',
  'document-offline',
  'identity',
  'clerk',
  'clerk-sheet',
  'record',
  'downloads'
)
kept.push('directory', 'activity', 'settings', 'palette', 'person-handover-three', 'person-away', 'display-idle')

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview()
})
test.afterAll(() => preview.close())
test.afterEach(() => expect(preview.complaints()).toEqual([]))

const same = (what: Page | Locator, name: string) => expect(what, ACCEPT).toHaveScreenshot(`${name}.png`)

test.describe('the parts', () => {
  for (const [look, media] of Object.entries(looks)) {
    test(look, async () => {
      const { page, show } = preview
      await show({ scene: 'gallery', at: '' }, media)
      const session = await drawStates(page)
      const sections = await page.locator('section[id]').all()
      for (const section of sections) {
        const name = await section.getAttribute('id')
        await test.step(`${name}`, () => same(section, `parts/${name}-${look}`))
      }
      await session.detach()
    })
  }

  const over: Record<string, (page: Page) => Promise<unknown>> = {
    dialog: (page) => page.getByRole('button', { name: 'Open a dialog' }).click(),
    menu: (page) => page.getByRole('button', { name: 'Open a menu' }).click(),
    popover: (page) => page.getByRole('button', { name: 'Open a popover' }).click(),
    calendar: async (page) => {
      await page.getByRole('button', { name: 'Open a dialog' }).click()
      await page.getByLabel('New day').press('Alt+ArrowDown')
      await page.getByRole('grid').last().waitFor()
    },
    toast: (page) => page.getByRole('button', { name: 'Say something' }).click()
  }
  for (const [name, act] of Object.entries(over)) {
    for (const look of ['light', 'dark'] as const) {
      test(`${name}, ${look}`, async () => {
        await preview.show({ scene: 'gallery', at: '', act }, looks[look])
        await same(preview.page, `over/${name}-${look}`)
      })
    }
  }
})

test.describe('the screens', () => {
  for (const shot of shots.filter(({ name }) => kept.includes(name))) {
    test(shot.name, async () => {
      await preview.show(shot, looks.light)
      await same(preview.page, `screens/${shot.name}-light`)
      await preview.page.emulateMedia(looks.dark)
      await same(preview.page, `screens/${shot.name}-dark`)
    })
  }
})
