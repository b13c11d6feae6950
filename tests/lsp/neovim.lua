-- What a person does with the server: opens a source, waits for diagnostics, looks at hints, hover and what a lens says, applies the
-- fix, saves.
local seen = {}
local folder = vim.fn.getcwd()
local patience = 120000

vim.g.bankwise_program = os.getenv("BANKWISE")
dofile(os.getenv("PLUGIN"))
vim.cmd("edit " .. vim.fn.fnameescape(folder .. "/transpose.cu"))
local buffer = vim.api.nvim_get_current_buf()
local client

local function diagnostics()
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(list, { d.lnum, d.code or d.user_data.lsp.code, d.severity })
  end
  return list
end
local function ask(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  local answers = assert(vim.lsp.buf_request_sync(buffer, method, params, patience))
  return answers[client].result
end
local function windows() return #vim.api.nvim_list_wins() end
local whole = { start = { line = 0, character = 0 }, ["end"] = { line = 100, character = 0 } }
local of_load = { start = { line = 17, character = 0 }, ["end"] = { line = 17, character = 0 } }

local ran, wrong = pcall(function()
  vim.wait(patience, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
  client = next(vim.lsp.buf_get_clients(buffer))
  seen.diagnostics = diagnostics()
  seen.message = vim.diagnostic.get(buffer)[1].message
  seen.hints = vim.tbl_map(function(h) return h.label end, ask("textDocument/inlayHint", { range = whole }))
  seen.hover = ask("textDocument/hover", { position = { line = 17, character = 4 } }).contents.value
  local lenses = ask("textDocument/codeLens", {})
  seen.lenses = vim.tbl_map(function(l) return l.command.title end, lenses)
  -- The command for the line of the cursor, as the lens of it: a window with the text.
  vim.api.nvim_win_set_cursor(0, { 13, 0 })
  vim.cmd("BankwiseExplain")
  vim.wait(patience, function() return windows() == 2 end, 50)
  local shown = vim.api.nvim_list_wins()[2]
  seen.explained = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(shown), 0, -1, false), "\n")
  vim.api.nvim_win_close(shown, true)
  vim.lsp.commands["bankwise.explain"](lenses[1].command, {})
  seen.lens_explains = vim.wait(patience, function() return windows() == 2 end, 50)
  vim.api.nvim_win_close(vim.api.nvim_list_wins()[2], true)
  local actions = ask("textDocument/codeAction", { range = of_load, context = { diagnostics = {} } })
  seen.actions = vim.tbl_map(function(a) return a.title end, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  vim.cmd("write")
  vim.wait(patience, function()
    for _, d in ipairs(diagnostics()) do
      if d[2] == "stale" then return true end
    end
    return false
  end, 50)
  seen.after = diagnostics()
  -- All reports, by the command; and the configuration belongs to the same server.
  local report = folder .. "/.bankwise/plain.json"
  os.remove(report)
  vim.cmd("BankwiseRun")
  seen.ran = vim.wait(patience, function() return vim.fn.filereadable(report) == 1 end, 50)
  vim.cmd("edit " .. vim.fn.fnameescape(folder .. "/bankwise.toml"))
  seen.same_server = next(vim.lsp.buf_get_clients(0)) == client
  vim.lsp.stop_client(client)
  seen.stopped = vim.wait(patience, function() return vim.lsp.client_is_stopped(client) end, 50)
end)
if not ran then seen.wrong = tostring(wrong) end
vim.fn.writefile({ vim.fn.json_encode(seen) }, folder .. "/seen.json")
vim.cmd("qall!")
