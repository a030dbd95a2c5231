import { render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { fakeApi } from './fake-api.ts'
import { openOffice } from './office.ts'

// Nothing is preloaded here, as in the first moments after a start.
test('the screen that one goes on to is shown, also where the one before it never came', async () => {
  const { app, close } = await openOffice(fakeApi())
  app.router.go('audit')
  render(App, { props: { app } })
  await tick()
  app.router.go('activity')
  expect(await screen.findByRole('heading', { name: 'Activity', level: 1 }, { timeout: 20_000 })).toBeTruthy()
  close()
})
