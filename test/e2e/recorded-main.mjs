// The built application, whose answers and events for our pages are also written into the folder COUNTERSIGN_RECORDED: a file for
// each channel, in the form in which they travel.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { app, ipcMain } from 'electron'

const record = (name, value) => appendFileSync(join(process.env.COUNTERSIGN_RECORDED ?? '.', name), serialize(value))

const handle = ipcMain.handle.bind(ipcMain)
ipcMain.handle = (channel, listener) =>
  handle(channel, async (...args) => {
    const answer = await listener(...args)
    record(channel, answer)
    return answer
  })

app.on('web-contents-created', (_event, contents) => {
  const send = contents.send.bind(contents)
  contents.send = (channel, ...args) => {
    record(`event ${channel}`, args)
    send(channel, ...args)
  }
})

// Not awaited: Electron is ready only once this module has been evaluated.
void import('../../out/main/index.js')
