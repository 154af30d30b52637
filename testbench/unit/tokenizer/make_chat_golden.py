#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes chat_golden.json: chat templates of each family, and what Jinja renders from them.

usage: make_chat_golden.py        in this folder; needs the PyPI package jinja2

Jinja runs with the settings of Hugging Face transformers (trim_blocks, lstrip_blocks).
"""
import json

from jinja2.sandbox import ImmutableSandboxedEnvironment

CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
          "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
SMOLLM2 = ("{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
           "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
           + CHATML.removeprefix("{% for message in messages %}"))
QWEN = r"""{%- if messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}
{%- else %}
    {{- '<|im_start|>system\nYou are a helpful assistant; it\'s so.<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role != 'system' %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
"""
LLAMA3 = ("{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + "
          "message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 "
          "%}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}"
          "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}")
LLAMA31 = r"""{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\n\n" }}
{{- "Cutting Knowledge Date: December 2023\n" }}
{{- "Today Date: " + date_string + "\n\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}
"""
MISTRAL = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] "
           "+ ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ message['content'] + eos_token END}}{% endif %}"
           "{% endfor %}")
MISTRAL3 = r"""{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.first and system_message is defined %}
            {{- "[INST] " + system_message + "\n\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] + eos_token}}
    {%- endif %}
{%- endfor %}
"""
ZEPHYR = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\n'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""

TEMPLATES = {"chatml": [CHATML, SMOLLM2, QWEN], "llama3": [LLAMA3, LLAMA31],
             "mistral": [MISTRAL.replace("END", "+ ' '"), MISTRAL.replace("END", ""), MISTRAL3], "zephyr": [ZEPHYR]}
SYSTEM = {"role": "system", "content": "Be brief."}
TURNS = [{"role": "user", "content": "Why is the sky blue?\n"}, {"role": "assistant", "content": "Scattering."},
         {"role": "user", "content": " And red?"}]


def main():
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    out = []
    for family, templates in TEMPLATES.items():
        for text in templates:
            template = environment.from_string(text)
            cases = []
            for messages in (TURNS[:1], TURNS, [SYSTEM] + TURNS):
                if messages[0] is SYSTEM and family == "mistral" and text is not MISTRAL3:
                    continue  # those templates refuse a system message
                for start in (True, False):
                    prompt = template.render(messages=messages, add_generation_prompt=start, bos_token="<B>",
                                             eos_token="<E>")
                    cases.append({"messages": messages, "open": start, "prompt": prompt})
            out.append({"family": family, "template": text, "cases": cases})
    with open("chat_golden.json", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(v, separators=(",", ":")) for v in out) + "\n]\n")


main()
