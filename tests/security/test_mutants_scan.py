"""Every rule of the scanner at its limits: what is found, where, and what it spells."""

from __future__ import annotations

import base64
import weakref
from functools import partial

import pytest

from foreword.scan._classes import KINDS, kind_of
from foreword.scan._findings import BUDGET, Described, Findings, shown
from foreword.scan._payloads import bits, selectors, tags
from foreword.scan._scan import LIMIT, RULES, Finding, scan, scan_all, scan_name

# ruff: noqa: E501
# fmt: off
TEXTS = {
    'plain': ('Be brief.\n\tx', []),
    'tags': ('ab\U000e0068\U000e0069\U000e0020\U000e0074\U000e0068\U000e0065\U000e0072\U000e0065 c', ['tag-characters 0:2 U+E0068 hi there']),
    'tags apart': ('a\U000e0078bcd \U000e0079e', ['tag-characters 0:1 U+E0078 xy']),
    'tags far apart': ('a\U000e0078bcdef\U000e0079', ['tag-characters 0:1 U+E0078 x', 'tag-characters 0:7 U+E0079 y']),
    'tag language': ('a\U000e0001\U000e0064\U000e0065\U000e007f', ['tag-characters 0:1 U+E0001 de']),
    'flag': ('\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f x\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f', []),
    'false flag': ('\U0001f3f4\U000e0067\U000e0062\U000e0078\U000e0079\U000e007a\U000e007f', ['tag-characters 0:1 U+E0067 gbxyz']),
    'selectors': ('x\U000e0158\U000e0155\U000e015c\U000e015c\U000e015f y', ['variation-selectors 0:1 U+E0158 hello']),
    'selectors latin': ('x\U000e01ef\U000e01ee\U000e0151\U000e0152', ['variation-selectors 0:1 U+E01EF \xff\xfeab']),
    'selector stray': ('ax\ufe0fb', ['stray-selector 0:2 U+FE0F']),
    'two selectors apart': ('a\ufe0f b\ufe0f', ['stray-selector 0:1 U+FE0F', 'stray-selector 0:4 U+FE0F']),
    'selectors spell': ('a\U000e0158c\U000e0159c\U000e0154c\U000e0155', ['variation-selectors 0:1 U+E0158 hide']),
    'selectors no spell': ('a\ufe01c\ufe02c\ufe03c\ufe04', ['stray-selector 0:1 U+FE01', "4 in all"]),
    'sixteen selectors': ('ab\ufe01' * 16, ['variation-selectors 0:2 U+FE01 \\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}\\u{1}']),
    'fifteen selectors': ('ab\ufe01' * 15, ['stray-selector 0:2 U+FE01', "15 in all"]),
    'selector first': ('\ufe0fa', ['stray-selector 0:0 U+FE0F']),
    'emoji selector': ('\u2764\ufe0f 1\ufe0f\u20e3 \u2764\ufe0f\ufe0f', ['variation-selectors 0:8 U+FE0F \\u{f}\\u{f}']),
    'ideographs': ('\u845b\U000e0100 \u845b\ufe00', []),
    'selectors far': ('ab\ufe0fcccccccccccccccccd\ufe0f', ['stray-selector 0:2 U+FE0F', 'stray-selector 0:21 U+FE0F']),
    'plane 14': ('a\U000e0080\U000e0081b\U000e0fff', ['plane-14 0:1 U+E0080', 'plane-14 0:4 U+E0FFF']),
    'override': ('user\u202emoc.live\u202c x', ['bidi-override 0:4 U+202E evil.com']),
    'override ltr': ('a\u202dbc\nd', ['bidi-override 0:1 U+202D bc']),
    'override twice': ('\u202e\u202eab', ['bidi-override 0:0 U+202E ba']),
    'override long': ('\u202eabababababababababababababababababababababababababababababab', ['bidi-override 0:0 U+202E babababababababababababababababababababababababababababababa']),
    'isolates': ('\u05d0 \u2066a\u2069', []),
    'isolate ltr': ('a \u2066b\u2069', ['bidi-isolate 0:2 U+2066']),
    'isolate open': ('\u05d0\u2067b\nc\u2069', ['bidi-unbalanced 0:1 U+2067', 'bidi-unbalanced 1:1 U+2069']),
    'embedding': ('a\u202ab\u202c', ['bidi-isolate 0:1 U+202A']),
    'embedding rtl': ('\u05d0\u202bb\u202c', []),
    'nested': ('\u05d0\u2066\u202ab\u2069\u202c', ['bidi-unbalanced 0:2 U+202A', 'bidi-unbalanced 0:5 U+202C']),
    'end first': ('\u05d0\u202c\u2066b\u2069', ['bidi-unbalanced 0:1 U+202C']),
    'lrm': ('a\u200eb \u05d0', []),
    'lrm ltr': ('a\u200e.\nb', ['bidi-mark 0:1 U+200E']),
    'embedding in isolate': ('\u05d0\u202a\u2066\u202c\u2069\u202c', ['bidi-unbalanced 0:3 U+202C']),
    'run of 8': ('a\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200bb', ['zero-width-run 0:1 U+200B']),
    'run of 7': ('a\u200b\u200b\u200b\u200b\u200b\u200b\u200bb', ['zero-width 0:1 U+200B', "7 in all"]),
    'run spells': ('a\u200b\u200c\u200c\u200b\u200c' + '\u200b' * 4 + '\u200c\u200c\u200b\u200c\u200b\u200b\u200cb', ['zero-width-run 0:1 U+200B hi']),
    'run inverse': ('a\u200c\u200b\u200b\u200c\u200b' + '\u200c' * 4 + '\u200b\u200b\u200c\u200b\u200c\u200c\u200bb', ['zero-width-run 0:1 U+200C hi']),
    'run seven bits': ('a\u200c\u200c\u2060\u200c\u2060\u2060\u2060\u200c\u200c\u2060\u200c\u2060\u2060\u200c\u200c\u200c\u2060\u2060\u200c\u2060\u2060\u200c\u200c\u2060\u2060\u200c\u2060\u200c\u2060\u200c\u2060\u2060\u2060\u2060\u2060\u200c\u200c\u2060\u200c\u200c\u2060\u200c\u200c\u200c\u2060\u2060\u200c\u2060\u200c\u2060\u200c\u2060\u2060\u2060\u2060\u200c', ['zero-width-run 0:1 U+200C hide me!']),
    'run separated': ('a\u200c\u200c\u200b\u200c\u200b\u200b\u200b\u2060\u200c' + '\u200c\u200b' * 2 + '\u200b\u200c\u2060\u200c\u200c\u200b\u200b\u200c\u200b\u200bb', ['zero-width-run 0:1 U+200C hid']),
    'run nothing': ('a\u200b\u200c\u200d\u200b\u200c\u200d\u200b\u200c\u200db', ['zero-width-run 0:1 U+200B \\u{1}\\u{1}\\u{1}']),
    'run mixed kinds': ('a\u200e\u00ad\u180b\u2065\u3164\u034f\u115f\u1160b', ['zero-width-run 0:1 U+200E']),
    'dense 16': ('a\u200b ' * 16, ['zero-width-run 0:1 U+200B']),
    'dense 15': ('a\u200b ' * 15, ['zero-width 0:1 U+200B', "15 in all"]),
    'zero-width': ('a\u200bb \ufeff c\u2060', ['zero-width 0:1 U+200B', 'zero-width 0:4 U+FEFF', 'zero-width 0:7 U+2060']),
    'zero-width thai': ('\u0e01\u200b\u0e02', []),
    'bom first': ('\ufeffa', []),
    'bom twice': ('\ufeff\ufeffa', ['zero-width 0:1 U+FEFF']),
    'joiner': ('a\u200db', ['joiner 0:1 U+200D']),
    'joiner space': ('a \u200d', ['joiner 0:2 U+200D']),
    'nonjoiner persian': ('\u0645\u06cc\u200c\u062e\u0648', []),
    'family': ('\U0001f468\u200d\U0001f469\u200d\U0001f467', []),
    'family tone': ('\u2764\ufe0f\u200d\U0001f525', []),
    'indic': ('\u0915\u094d\u200d\u0937', []),
    'invisible': ('a\u3164b\u115f\u2800c', ['invisible 0:1 U+3164', 'invisible 0:3 U+115F']),
    'jamo': ('\u1100\u1160 \u115f\u1161 \u1160', ['invisible 0:6 U+1160']),
    'braille': ('\u2801\u2800\u2802 \u2800', ['invisible 0:4 U+2800']),
    'mongolian': ('\u182f\u180b a\u180b \u180e', ['stray-selector 0:4 U+180B', 'zero-width 0:6 U+180E']),
    'soft hyphen': ('co\xadop', ['soft-hyphen 0:2 U+00AD']),
    'soft hyphens': ('a\xad\xadb', ['soft-hyphen 0:1 U+00AD']),
    'nul': ('a\x00\x00b', ['nul 0:1 U+0000']),
    'escape': ('\x1b[31mred\x1b[0m', ['ansi-escape 0:0 U+001B', 'ansi-escape 0:8 U+001B']),
    'conceal': ('a\x1b[0;8mhidden\x1b[0m', ['ansi-escape 0:1 U+001B hidden', 'ansi-escape 0:13 U+001B']),
    'conceal 08': ('\x1b[38;5;1;08mx\ny', ['ansi-escape 0:0 U+001B x']),
    'osc': ('\x1b]0;title\x07b', ['ansi-escape 0:0 U+001B 0;title', 'control 0:9 U+0007']),
    'dcs': ('\x1bPa\x1b\\', ['ansi-escape 0:0 U+001B a', 'control 0:3 U+001B']),
    'escape alone': ('a\x1b', ['control 0:1 U+001B']),
    'escape other': ('\x1bc', ['control 0:0 U+001B']),
    'control': ('a\x07\x08b\x0bc\x7f\x85', ['control 0:1 U+0007', 'control 0:4 U+000B', 'control 0:6 U+007F']),
    'delete': ('\x7f', ['control 0:0 U+007F']),
    'cr': ('a\r\nb\rc', ['control 1:1 U+000D']),
    'line separator': ('a\u2028b\u2029', ['line-separator 0:1 U+2028', 'line-separator 0:3 U+2029']),
    'first of a row': ('\u845b\U000e0100\U000e0101 \u2764\ufe0e\ufe0e', ['variation-selectors 0:1 U+E0100 \\u{10}\\u{11}\\u{e}\\u{e}']),
    'first of a row, last': ('\u845b\U000e01ef\U000e0100', ['variation-selectors 0:1 U+E01EF \xff\\u{10}']),
    'first of a row, low': ('\u845b\ufe00\ufe0f', ['variation-selectors 0:1 U+FE00 \\u{0}\\u{f}']),
    'two images': ('`![a](//b)` ![c](//d) `![e](//f)` ![g](//h)', ['remote-image 0:12', 'remote-image 0:34']),
    'two tokens': ('`<|a|>` <|b|> `<|c|>` <|d|>', ['control-token 0:8', 'control-token 0:22']),
    'token after code': ('`a`<|b|>', ['control-token 0:3']),
    'img empty': ('<img src=\'\'> <img src="" alt="//b">', []),
    'img newline': ('<img\nsrc = "\t//b">', ['remote-image 0:0']),
    '2000 and more': ('a ' * 1000 + '\nb' + 'c ' * 999 + '\n' + 'd ' * 1000, []),
    '2001 and more': ('a ' * 1000 + 'b\n' + 'c ' * 1000 + 'd\ne', ['long-line 0:0', 'long-line 1:0']),
    'sixteen within one too many': ('\u200b' + '.\u200b' * 14 + '.' * 971 + '\u200b', ['zero-width 0:0 U+200B', '16 in all']),
    'sixteen at the limit': ('\u200b' + '.\u200b' * 14 + '.' * 970 + '\u200b', ['zero-width-run 0:0 U+200B']),
    'far twice': ('a' + ' ' * 80 + 'b' + ' ' * 80 + 'c' + '\n' * 21 + 'd' + '\n' * 21 + 'e', ['push-off 0:1', '4 in all']),
    'mark after an override': ('\u202eab\u202c\u200e', ['bidi-override 0:0 U+202E ba', 'bidi-mark 0:4 U+200E']),
    'two ends': ('\u2069a\u2069\u202ab', ['bidi-unbalanced 0:0 U+2069', 'bidi-unbalanced 0:2 U+2069', 'bidi-unbalanced 0:3 U+202A']),
    'isolate in isolate': ('\u05d0\u2066\u2067a\u2069\u2069', []),
    'run with one that is harmless': ('\u0645\u200c\u200b\u200b\u200b\u200b\u200b\u200b\u200b', ['zero-width-run 0:1 U+200C \\u{7f}']),
    'run with two that are harmless': ('\u0645\u200c' + '\u200b' * 6 + '\u200c\u0645', ['zero-width-run 0:1 U+200C ~']),
    'image closed': ('![]x](//b) ![](//b)', ['remote-image 0:11']),
    'blank behind a run': ('a' + '\u200b' * 8 + '\u2800', ['zero-width-run 0:1 U+200B', 'invisible 0:9 U+2800']),
    'capital X': ('\u00e9 aXb', []),
    'mark before seven': ('\ufeff' + '\u200b' * 7 + 'a', ['zero-width 0:1 U+200B', '7 in all']),
    'after a letter': ('X\u200dX X\ufe0fX X\u200bX', ['joiner 0:1 U+200D', 'stray-selector 0:5 U+FE0F', 'zero-width 0:9 U+200B']),
    'more after a letter': ('X\ufe00X X\u180bX X\u200eX', ['stray-selector 0:1 U+FE00', 'stray-selector 0:5 U+180B', 'bidi-mark 0:9 U+200E']),
    'private': ('\ue000\ue001 \U000f0000 \U0010ffff', ['private-use 0:0 U+E000', 'private-use 0:3 U+F0000', 'private-use 0:5 U+10FFFF']),
    'replacement': ('a\ufffdb', ['replacement-character 0:1 U+FFFD']),
    'mixed': ('p\u0430ypal and \u0440\u0430\u0443', ['mixed-script 0:0 U+0430 paypal']),
    'mixed two': ('\u0430b c\u0435d', ['mixed-script 0:0 U+0430 ab', 'mixed-script 0:3 U+0435 ced']),
    'mixed marks': ('a\u0301\u0435', ['mixed-script 0:0 U+0435']),
    'mixed first': ('\u0441at', ['mixed-script 0:0 U+0441 cat']),
    'mixed armenian': ('a\u0561', ['mixed-script 0:0 U+0561']),
    'mixed greek': ('\u03b1b', []),
    'mixed math': ('\U0001d41abc', ['mixed-script 0:0 U+1D41A abc']),
    'mixed long': ('\u0430' * 70 + 'b', ['mixed-script 0:5 U+0430 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab']),
    'cyrillic': ('\u043f\u0440\u0438\u0432\u0435\u0442', []),
    'comment': ('a <!-- b --> c', ['html-comment 0:2']),
    'comment lines': ('a\n<!--\nb\n-->', ['html-comment 1:0']),
    'comment open': ('a <!-- b\nc', ['unterminated-comment 0:2']),
    'comment short': ('<!--> <!---> x', ['html-comment 0:0', 'html-comment 0:6']),
    'comment then open': ('<!-- a --> <!-- b', ['html-comment 0:0', 'unterminated-comment 0:11']),
    'comment code': ('`<!-- a -->` ```\n<!-- b -->', ['html-comment 1:0']),
    'comment fence': ('```\n<!-- a -->\n```\n<!-- b -->', ['html-comment 3:0']),
    'comment open in code': ('`<!-- a`', []),
    'comment long': ('<!--' + ' ab' * 100 + ' -->', ['html-comment 0:0']),
    'comment indented': ('    <!-- a -->', ['html-comment 0:4']),
    'tilde': ('~~~\n<!-- a\n~~~', []),
    'fence open': ('```\n<!-- a', []),
    'fence short': ('````\n```\n<!-- a -->\n````\n<!-- b -->', ['html-comment 4:0']),
    'double tick': ('`` ` <!-- a --> `` <!-- b -->', ['html-comment 0:19']),
    'escaped tick': ('\\`<!-- a -->`', ['html-comment 0:2']),
    'fence info': ('```py\n<!-- a -->\n```', []),
    'fence no': ('``` `\n<!-- a -->\n```', ['html-comment 1:0']),
    'tick over lines': ('`a\nb <!-- c -->`', ['html-comment 1:2']),
    'unbalanced tick': ('` <!-- a -->', ['html-comment 0:2']),
    'html block': ('<div>\n`<!-- a -->`\n</div>', ['html-comment 1:1']),
    'image': ('![a](https://b.c/d.png)', ['remote-image 0:0']),
    'image query': ('![a](http://b/?c=d)', ['remote-image 0:0']),
    'image title': ('![a](//b/c "title")', ['remote-image 0:0']),
    'image angle': ('![a](<https://b/c d>)', ['remote-image 0:0']),
    'image placeholder': ('![a](https://b/{{ x }})', ['image-placeholder 0:0']),
    'image dollar': ('![a](https://b/$x)', ['image-placeholder 0:0']),
    'image percent': ('![a](https://b/%7Bx)', ['image-placeholder 0:0']),
    'image local': ('![a](b.png)', []),
    'no image': ('[a](https://b/{c})', []),
    'image code': ('`![a](https://b)`', []),
    'img': ('<img src="https://b/c">', ['remote-image 0:0']),
    'img single': ("<IMG alt=x src='//b/c'>", ['remote-image 0:0']),
    'img bare': ('<img src=http://b/${x}>', ['image-placeholder 0:0']),
    'img local': ('<img src="c.png">', []),
    'img none': ('<img alt="https://b">', []),
    'image upper': ('![a](HTTPS://b)', ['remote-image 0:0']),
    'nested image': ('![a [b](//c)', ['remote-image 0:0']),
    'image bracket': ('![a]b](//c)', []),
    'token': ('<|im_start|>x', ['control-token 0:0']),
    'token code': ('`<|im_start|>` <|im_end|>', ['control-token 0:15']),
    'inst': ('[INST] a [/INST]', ['control-token 0:0', 'control-token 0:9']),
    'sys': ('<<SYS>>a<</SYS>>', ['control-token 0:0', 'control-token 0:8']),
    'turn': ('<start_of_turn>a<end_of_turn>', ['control-token 0:0', 'control-token 0:16']),
    'deepseek': ('<\uff5cbegin\u2581of\u2581sentence\uff5c>', ['control-token 0:0']),
    'no token': ('<|a b|> [INST <SYS>> _of_turn>', []),
    'token long': ('<|aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|> <|aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|>', ['control-token 0:0']),
    '2000': ('a ' * 1000, []),
    '2001': ('a ' * 1000 + 'b', ['long-line 0:0']),
    '10000': ('a ' * 5000, ['long-line 0:0']),
    '10001': ('a ' * 5000 + 'b', ['very-long-line 0:0']),
    'two long': ('a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a \nb\nc c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c ', ['long-line 0:0', 'long-line 2:0']),
    '80 spaces': ('a                                                                                b', ['push-off 0:1']),
    '79 spaces': ('a                                                                               b', []),
    '80 at end': ('a                                                                                ', []),
    '20 lines': ('a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nb', ['push-off 0:1']),
    '19 lines': ('a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nb', []),
    '20 spaced lines': ('a' + '\n \t' * 20 + '\nb', ['push-off 0:1']),
    '20 at end': ('a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n', []),
    'base64 200': ('aB3d' * 50, []),
    'base64 few': ('abcdefghi' * 23, []),
    'base64 ten': ('abcdefghij' * 20, ['base64 0:0']),
    'base64 199': ('abcdefghij' * 19 + 'abcdefghi', []),
    'base64 text': ('SGVsbG8gd29ybGQs' * 13, ['base64 0:0']),
    'base64 url': ('-_aB09zZ4xYq' * 17, ['base64 0:0']),
    'base64 none': ('gIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZaXmJmam5ydnp+g' * 5, ['base64 0:0']),
    'two base64': ('aB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijklaB3defghijkl mnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvwmnop4qrstuvw', ['base64 0:0', 'base64 0:205']),
    'ruler': ('-' * 300, []),
    'many': ('\u2028a' * 60, ['line-separator 0:0 U+2028', "51 in all"]),
    'many worst': ('\xada' * 60 + '\u202eb', ['soft-hyphen 0:0 U+00AD', "51 in all"]),
    'lines': ('a\nb\u202ec\n\nd\x00', ['bidi-override 1:1 U+202E c', 'nul 3:1 U+0000']),
    'sixteen within a thousand': ('.\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                .\u200b                                                                ', ['zero-width-run 0:1 U+200B']),
    'sixteen within more': ('.\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 .\u200b                                                                 ', ['zero-width 0:1 U+200B', "16 in all"]),
    'long after an empty line': ('\n' + 'ab ' * 666 + 'ab\n', []),
    'too long after an empty line': ('\n' + 'ab ' * 667 + '\n', ['long-line 1:0']),
    'long at the end': ('a\n' + 'ab ' * 666 + 'ab', []),
    'too long at the end': ('a\n' + 'ab ' * 667, ['long-line 1:0']),
    'ten thousand': ('ab ' * 3333 + 'c', ['long-line 0:0']),
    'more than ten thousand': ('ab ' * 3333 + 'cd', ['very-long-line 0:0']),
    '80 spaces at the end': ('a' + ' ' * 80 + '\nb', []),
    '20 newlines': ('a' + '\n' * 20 + 'b', []),
    '21 newlines': ('a' + '\n' * 21 + 'b', ['push-off 0:1']),
    '21 newlines with blanks': ('a' + '\n \t' * 20 + '\nb', ['push-off 0:1']),
    '21 newlines at the end': ('a' + '\n' * 21, []),
    '199 in a row': ('aB3defghij' * 19 + 'aB3defghi,', []),
    '200 in a row': ('aB3defghij' * 20, ['base64 0:0']),
    '200 of nine': ('aB3defghi' * 23, []),
    '200 behind letters of others': ('\u0431' + 'aB3defghij' * 20, ['mixed-script 0:0 U+0431', 'base64 0:1']),
    'marks between': ('\u0430' + '\u0301' * 8 + 'a', ['mixed-script 0:0 U+0430']),
    'more marks between': ('\u0430' + '\u0301' * 9 + 'a', []),
    'two marks before': ('a\u0301\u0301\u0430', []),
    'alternative': ('![' + 'a' * 498 + '](//b)', ['remote-image 0:0']),
    'alternative of two': ('![a](b) ![' + 'a' * 90 + '](//b)', ['remote-image 0:8']),
    'two dense stretches': ('\u200ba' * 16 + 'b' * 1500 + '\u200ba' * 16, ['zero-width-run 0:0 U+200B', 'zero-width-run 0:1532 U+200B']),
    'fifteen behind a dense stretch': ('\u200ba' * 16 + 'b' * 1500 + '\u200ba' * 15, ['zero-width-run 0:0 U+200B', '16 in all']),
    'fifteen behind seventeen': ('\u200ba' * 17 + 'b' * 1500 + '\u200ba' * 15, ['zero-width-run 0:0 U+200B', '16 in all']),
    'fifteen behind eighteen': ('\u200ba' * 18 + 'b' * 1500 + '\u200ba' * 15, ['zero-width-run 0:0 U+200B', '16 in all']),
    'dense with harmless ones': (''.join('x\u200b' if bit == '0' else '\u0628\u200c' for char in 'hidden' for bit in f'{ord(char):08b}'), ['zero-width-run 0:1 U+200B hidden']),
    'mark behind a line of others': ('\u05d0\na\u200eb', ['bidi-mark 1:1 U+200E']),
    'mark before a line of others': ('a\u200eb\n\u05d0', ['bidi-mark 0:1 U+200E']),
    'selectors in a row, then a stray one': ('a\ufe01\ufe02' + 'b' * 20 + '\ufe0f', ['variation-selectors 0:1 U+FE01 \\u{1}\\u{2}', 'stray-selector 0:23 U+FE0F']),
    'seventeen, the last at the limit': ('\u200b' + '.\u200b' * 15 + '.' * 970 + '\u200b', ['zero-width-run 0:0 U+200B']),
    'seventeen, the last behind the limit': ('\u200b' + '.\u200b' * 15 + '.' * 973 + '\u200b', ['zero-width-run 0:0 U+200B', 'zero-width 0:1004 U+200B']),
    'long word': ('\u0430' + 'b' * 126 + '\u0431', ['mixed-script 0:0 U+0430']),
    'longer word': ('\u0430' + 'b' * 127 + '\u0431', ['mixed-script 0:0 U+0430 a' + 'b' * 79 + '\u2026']),
    'far from its beginning': ('b' * 64 + '\u0430', ['mixed-script 0:0 U+0430 ' + 'b' * 64 + 'a']),
    'farther from its beginning': ('b' * 65 + '\u0430', ['mixed-script 0:1 U+0430 ' + 'b' * 64 + 'a']),
    'comment that ends at once': ('<!--><!-- a', ['html-comment 0:0', 'unterminated-comment 0:5']),
    'comment in code and out': ('`<!-- a -->` <!-- b --> `<!--`', ['html-comment 0:13']),
    'comments in code, then one open': ('`<!--` `<!--` <!-- a', ['unterminated-comment 0:14']),
    'image with a title': ('![a](//b "c?d")', ['remote-image 0:0']),
    'image with a placeholder in its title': ('![a](//b "{c}")', ['remote-image 0:0']),
    'run quaternary': ('a\u200c\u200d\u200d\u200b\u200c\u200d\u2060\u2060', ['zero-width-run 0:1 U+200C ho']),
}
NAMES = {
    'plain': ('Safety', []),
    'tab': ('a\tb', ['control 0:1 U+0009']),
    'newline': ('a\nb', ['control 0:1 U+000A']),
    'confusable': ('\u0440\u0430\u0441', ['confusable 0:0 U+0440 pac']),
    'confusable two': ('\u0440\u0430', []),
    'confusable mixed': ('\u0440\u0430\u0441e', ['mixed-script 0:0 U+0440 pace']),
    'cyrillic': ('\u043f\u0440\u0438\u0432\u0435\u0442', []),
    'confusable digits': ('1 \u0440\u0430\u0441', ['confusable 0:2 U+0440 1 pac']),
    'mixed': ('s\u0430fety', ['mixed-script 0:0 U+0430 safety']),
    'bom': ('\ufeffa', ['zero-width 0:0 U+FEFF']),
    'token': ('<|a|>', ['control-token 0:0']),
    'image': ('![a](//b)', ['remote-image 0:0']),
    'base64': ('aB3defghijkl' * 17, ['base64 0:0']),
    'comment': ('<!-- a', []),
    'long': ('a ' * 2000, []),
    'tag': ('a\U000e0068\U000e0069', ['tag-characters 0:1 U+E0068 hi']),
    'greek': ('\u0391\u0392\u0395', ['confusable 0:0 U+0391 ABE']),
    'fullwidth': ('\uff21\uff22\uff23', ['confusable 0:0 U+FF21 ABC']),
    'tabs in base64': ('a\t' + 'b' * 300, ['control 0:1 U+0009']),
    'cr': ('a\rb\r\nc', ['control 0:1 U+000D', 'control 0:4 U+000A']),
}
# fmt: on

# First and last of the characters that each rule is about, alone between full stops.
CHARACTERS = (
    (0x00, 0x00, "nul"),
    (0x01, 0x08, "control"),
    (0x0B, 0x1A, "control"),
    (0x1B, 0x1B, "control"),
    (0x1C, 0x1F, "control"),
    (0x7F, 0x9F, "control"),
    (0xAD, 0xAD, "soft-hyphen"),
    (0x034F, 0x034F, "invisible"),
    (0x115F, 0x1160, "invisible"),
    (0x17B4, 0x17B5, "invisible"),
    (0x180B, 0x180D, "stray-selector"),
    (0x180E, 0x180E, "zero-width"),
    (0x180F, 0x180F, "stray-selector"),
    (0x200B, 0x200B, "zero-width"),
    (0x200C, 0x200D, "joiner"),
    (0x200E, 0x200F, "bidi-mark"),
    (0x2028, 0x2029, "line-separator"),
    (0x202A, 0x202C, "bidi-unbalanced"),
    (0x202D, 0x202E, "bidi-override"),
    (0x2060, 0x2064, "zero-width"),
    (0x2065, 0x2065, "invisible"),
    (0x2066, 0x2069, "bidi-unbalanced"),
    (0x206A, 0x206F, "invisible"),
    (0x2800, 0x2800, "invisible"),
    (0x3164, 0x3164, "invisible"),
    (0xD800, 0xDFFF, "control"),
    (0xE000, 0xF8FF, "private-use"),
    (0xFE00, 0xFE0F, "stray-selector"),
    (0xFEFF, 0xFEFF, "zero-width"),
    (0xFFA0, 0xFFA0, "invisible"),
    (0xFFF0, 0xFFFB, "invisible"),
    (0xFFFD, 0xFFFD, "replacement-character"),
    (0x1BCA0, 0x1BCA3, "invisible"),
    (0x1D173, 0x1D17A, "invisible"),
    (0xE0000, 0xE007F, "tag-characters"),
    (0xE0080, 0xE00FF, "plane-14"),
    (0xE0100, 0xE01EF, "stray-selector"),
    (0xE01F0, 0xEFFFF, "plane-14"),
    (0xF0000, 0x10FFFF, "private-use"),
)


def _short(found: tuple[Finding, ...]) -> list[str]:
    """Each finding as rule, line and column, code point and decoded text; of many the first and their number."""
    lines = [
        " ".join(filter(None, (one.rule, f"{one.line}:{one.column}", one.codepoint, one.decoded))) for one in found
    ]
    return lines if len(lines) <= 3 else [lines[0], f"{len(lines)} in all"]


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_found_in_a_text(name: str) -> None:
    """Each text gives its findings and no others, at their places, with what they spell."""
    text, expected = TEXTS[name]
    assert _short(scan(text)) == expected
    findings = Findings(text, {})
    scan_all(text, findings)
    assert _short(findings.finish()) == expected


@pytest.mark.parametrize("name", NAMES)
def test_what_is_found_in_a_name(name: str) -> None:
    """Each name gives its findings and no others; a line break is one of them."""
    text, expected = NAMES[name]
    assert _short(scan_name(text)) == expected


def test_each_character_has_its_rule() -> None:
    """The first and the last character of each range are found by its rule, and those outside of all by none."""
    rules = {code: rule for low, high, rule in CHARACTERS for code in (low, (low + high) // 2, high)}
    inside = [range(low, high + 1) for low, high, _ in CHARACTERS]
    outside = {edge for low, high, _ in CHARACTERS for edge in (low - 1, high + 1)} | set(range(0x20, 0x110000, 997))
    for code in outside:
        if 0 <= code < 0x110000 and code not in (0x9, 0xA) and not any(code in among for among in inside):
            rules[code] = ""
    for code, rule in rules.items():
        assert [one.rule for one in scan(f".{chr(code)}.")] == ([rule] if rule else []), hex(code)


def test_a_rule_can_be_switched_off_or_changed() -> None:
    """A rule that is off finds nothing, and a changed one counts for what was said."""
    text = "a\x00b \u2028"
    assert [one.severity for one in scan(text)] == ["error", "warning"]
    assert [one.rule for one in scan(text, severities={"nul": "off"})] == ["line-separator"]
    assert [one.severity for one in scan_name(text, severities={"nul": "info"})] == ["info", "warning"]
    with pytest.raises(ValueError, match="'nil'"):
        scan(text, severities={"nil": "off"})
    with pytest.raises(ValueError, match="severity of nul is one of"):
        scan(text, severities={"nul": "fatal"})


def test_every_rule_is_shown_by_some_text() -> None:
    """The table of texts and names reaches every rule but the one for too many places."""
    found = {one.rule for text, _ in TEXTS.values() for one in scan(text)}
    found |= {one.rule for text, _ in NAMES.values() for one in scan_name(text)}
    assert found == set(RULES) - {"too-many"}


def test_the_worst_of_many_are_told() -> None:
    """Of more findings than are told the worst come first, and one more counts the rest."""
    found = scan("\u00ada" * 60 + "\u202eb" + "c\u2028" * 3)
    assert len(found) == LIMIT + 1
    assert [one.rule for one in found].count("bidi-override") == 1
    assert [one.rule for one in found].count("line-separator") == 3
    assert (found[-1].rule, found[-1].message, found[-1].codepoint) == ("soft-hyphen", "and 14 more", None)
    assert (found[-1].line, found[-1].column) == (0, 2 * 46)
    assert len(scan("\u2028a" * 50)) == 50


def test_more_than_is_looked_at() -> None:
    """A text with more suspicious places than are looked at says so, as an error."""
    assert "too-many" not in {one.rule for one in scan("\u2028" * BUDGET)}
    (found,) = (one for one in scan("\u2028" * (BUDGET + 1)) if one.rule == "too-many")
    assert (found.severity, found.column) == ("error", BUDGET)
    assert found.message == f"more than {BUDGET:,} suspicious characters"


def test_messages_count() -> None:
    """Where many characters belong together, the message says how many."""
    assert scan("a\u2028\u2028\u2028")[0].message.startswith("U+2028 LINE SEPARATOR, 3 in a row: ")
    assert scan("a\u2028")[0].message.startswith("U+2028 LINE SEPARATOR: ")
    assert scan("a" + "\u200b" * 9)[0].message == "9 invisible characters in a row"
    assert scan("a\u200b ." * 17)[0].message == "17 zero-width characters close together"
    assert scan("a" + chr(0xE0061) * 1234)[0].message.startswith("1,234 tag characters spell 'aaaa")
    assert scan("x" + "ab " * 700)[0].message == "a line of 2,101 characters"
    assert scan("a" + " " * 81 + "b")[0].message == "text behind 81 spaces"
    assert scan("a" + "\n" * 26 + "b")[0].message == "text behind 25 blank lines"
    for before in ("", "Look at this: "):
        assert scan(before + "SGVsbG8gd29ybGQs" * 13)[0].message == (
            "a run of 208 characters that looks like base64; decoded it holds text"
        )
    assert (
        scan("p\u0430y")[0].message == "the word 'p\\u{430}y' mixes Latin letters with U+0430 CYRILLIC SMALL LETTER A"
    )
    assert scan("a\ufe0f")[0].message.endswith("after U+0061 LATIN SMALL LETTER A, which has no such variant")
    assert scan("\ufe0fa")[0].message == "U+FE0F VARIATION SELECTOR-16 at the beginning"
    assert scan("a\u200bb")[0].message == "U+200B ZERO WIDTH SPACE inside a word"
    assert scan("a\u200b.")[0].message == "U+200B ZERO WIDTH SPACE"
    assert scan("<!-- " + "ab" * 50 + " -->")[0].message == f"HTML comment '{'ab' * 40}\u2026'"
    assert scan("<!-- a\n")[0].message == "HTML comment that is not closed, 'a'"
    assert scan("\u202eab\u202c")[0].message.endswith("what is read as 'ab' is shown as 'ba'")
    assert scan("\x1b[8mabc\x1b[0m")[0].message.endswith("that hides 'abc'")
    assert scan("a\x00")[0].message == "U+0000: a NUL character"
    blanks = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    escaped = "".join(f"\\u{{{ord(char):x}}}" for char in blanks)
    assert shown(f"a{blanks}b", 99) == f"a{escaped}b"
    assert (shown("abc", 3), shown("abcd", 3)) == ("abc", "abc\u2026")
    assert scan("\u2066a")[0].message == "U+2066 LEFT-TO-RIGHT ISOLATE that its line does not end"
    assert scan("a\u202c")[0].message == "U+202C POP DIRECTIONAL FORMATTING without its beginning"
    assert scan("a\u2069")[0].message == "U+2069 POP DIRECTIONAL ISOLATE without its beginning"
    assert scan("a\u2066b\u2069")[0].message == "U+2066 LEFT-TO-RIGHT ISOLATE in a line read from left to right"
    assert scan("\x1b[8m\nabc\x1b[0m")[0].message == "a terminal escape sequence, \\u{1b}[8m"
    lines = base64.b64encode(b"Hello you!\tone\r\ntwo\nthree 123;" * 6).decode()
    assert scan(lines)[0].message.endswith("it holds text")
    assert scan(base64.b64encode(b"Hello you!\x0bone, two, three" * 9).decode())[0].message.endswith("it holds no text")
    for more, readable in ((2, True), (3, True), (4, False)):
        carried = base64.b64encode(b"Hello you, all" * 15 + b"." * (-more % 3) + b"\xff" * more).decode()
        inside = "text" if readable else "no text"
        assert scan(carried)[0].message.endswith(f"decoded it holds {inside}"), more
    assert scan("<!--" + " " * 995 + "abc")[0].message == "HTML comment that is not closed, 'a'"
    assert scan("<!--" + " " * 996 + "abc")[0].message == "HTML comment that is not closed, ''"
    assert scan("<!--" + " " * 999 + "abc-->")[0].message == "HTML comment 'a'"
    assert scan("<!--" + " " * 1_000 + "abc-->")[0].message == "HTML comment ''"
    assert scan("a\x07\x07")[0].message == "U+0007, 2 in a row: a control character"
    assert scan("a\x1b")[0].message == "U+001B: a control character"
    assert scan("a\u180b")[0].message.endswith("FREE VARIATION SELECTOR ONE: a Mongolian variation selector")
    assert scan("a\u3164\u3164")[0].message.endswith("FILLER, 2 in a row: a character that shows as nothing")
    assert scan("![a](//b?c)")[0].message == "image from another host with a query, '//b?c'"


def test_payloads() -> None:
    """What invisible characters spell is read whichever of the known ways was taken."""
    assert tags("".join(chr(0xE0000 + ord(char)) for char in "\x01hide\x7f")) == "hide"
    assert selectors("\ufe00\ufe0f\U000e0100\U000e01ef") == "\\u{0}\\u{f}\\u{10}\u00ff"
    for zero, one in ("\u200b\u200c", "\u200c\u200b"):
        for width in (7, 8):
            digits = "".join(f"{ord(char):0{width}b}" for char in "hide it")
            carried = digits.replace("0", zero).replace("1", one)
            assert bits(carried) == "hide it"
            assert bits(f"\u2060{carried}\u2060") == "hide it"
        words = "\u2060".join(f"{ord(char):b}" for char in "hid\u4e2d").replace("0", zero).replace("1", one)
        assert bits(words) == "hid\u4e2d"
    four = "".join("\u200b\u200c\u200d\u2060"[ord(char) >> shift & 3] for char in "hole" for shift in (6, 4, 2, 0))
    assert bits(four) == "hole"
    eight = "".join(f"{ord(char):08b}" for char in "hide it").replace("0", "\u200b").replace("1", "\u200c")
    for more in range(1, 8):
        assert bits("\u200b" * more + eight) == bits(eight + "\u200b" * more) == "hide it"
    assert bits("nothing", eight) == "hide it"
    for number in (0xD800, 0xDFFF):
        carried = "\u2060".join((f"{number:b}", "1101000")).replace("0", "\u200b").replace("1", "\u200c")
        assert "\\u{d" not in str(bits(carried))
    for number in (0x110000, 0x1FFFFF):
        assert "\\u{1" not in str(
            bits(f"{number:b}".replace("0", "\u200b").replace("1", "\u200c") + "\u2060" * 2 + "\u200b")
        )
    assert len(tags("\U000e0061" * 3000)) == 2001
    assert tags("\U000e0061" * 2000) == "a" * 2000
    assert bits("\u200b" * 16) is None
    assert bits("\u200b\u200c\u200b") is None
    assert bits("") is None


def test_no_character_is_of_two_kinds() -> None:
    """The ranges of the kinds stand in order and do not overlap, and each begins no later than it ends."""
    ends = [edge for low, high, _ in KINDS for edge in (low, high + 1)]
    assert ends == sorted(ends)
    for low, high, kind in KINDS:
        assert {kind_of(chr(low)), kind_of(chr(high))} == {kind}


def test_findings_are_not_hoarded() -> None:
    """However many findings of one rule there are, few are kept, and those the first in the text."""
    described = [partial(Described, f"number {number}") for number in range(5_000)]
    alive = [weakref.ref(one) for one in described]
    findings = Findings("a" * 5_000, {})
    while described:
        findings.add("nul", len(described) - 1, described.pop())
        assert sum(one() is not None for one in alive[len(described) :]) <= 4 * LIMIT
    found = findings.finish()
    assert [one.message for one in found[:-1]] == [f"number {number}" for number in range(LIMIT)]
    assert found[-1].message == f"and {5_000 - LIMIT:,} more"
